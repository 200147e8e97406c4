"""Glyphs of a font, each drawn a little differently every time and with the pen's width, not the font's."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from handshift.core.errors import CorpusError
from handshift.page.components import stroke_width

Mask = NDArray[np.uint8]
EM = 144
"""Pixels of the font's em at which glyphs are drawn, four times finer than the page."""
_PAD = EM // 3
_THINNEST = 0.3
"""Share of a font's own stroke that is left at least: thinner, it would break."""


class Hand:
    """One person's hand as a font."""

    def __init__(self, path: Path) -> None:
        self._font = ImageFont.truetype(io.BytesIO(_opened(path)), EM)

    def advance(self, text: str) -> float:
        """Width that the text takes on its line, in fine pixels."""
        return float(self._font.getlength(text))

    def glyph(self, character: str) -> Mask:
        """(height, width) 0 or 255: the character as the font has it, with room around it."""
        ascent, descent = self._font.getmetrics()
        size = int(self.advance(character)) + 2 * _PAD, ascent + descent + 2 * _PAD
        picture = Image.new("L", size)
        ImageDraw.Draw(picture).text((_PAD, _PAD), character, fill=255, font=self._font)
        return (np.asarray(picture) > 127).astype(np.uint8) * 255

    @staticmethod
    def origin() -> tuple[int, int]:
        """Where a glyph's pen position stands within its picture: x, y of the line's top."""
        return _PAD, _PAD


def varied(mask: Mask, width: float, draw: np.random.Generator) -> Mask:
    """Another drawing of the same glyph, with strokes of `width` fine pixels.

    Args:
        mask: The glyph, 0 or 255.
        width: Stroke width wanted; thin and bold fonts come out alike.
        draw: Source of chance: turn, shear, scales, a smooth displacement, uneven pressure.

    Returns:
        (height, width) opacity, 0 to 255.
    """
    if not mask.any():
        return mask
    bent = _displaced(mask, draw)
    own = stroke_width((bent > 127).astype(np.uint8))
    grow = max((width - own) / 2, -(1 - _THINNEST) * own / 2)
    outside = cv2.distanceTransform((bent <= 127).astype(np.uint8), cv2.DIST_L2, 5)
    inside = cv2.distanceTransform((bent > 127).astype(np.uint8), cv2.DIST_L2, 5)
    edge = inside - outside + grow + 0.06 * own * _slow(mask.shape, draw, EM // 5)  # > 0 is ink
    pressure = np.clip(0.92 + 0.06 * _slow(mask.shape, draw, EM // 3), 0.6, 1.0)
    return np.asarray(np.clip(edge + 0.5, 0, 1) * pressure * 255, np.uint8)


def _displaced(mask: Mask, draw: np.random.Generator) -> Mask:
    """x' = A·x + d(x): A within σ 2.5° of turn, 0.06 of shear, 5 % of scale; d smooth, of σ 3 % of the em."""
    height, width = mask.shape
    turn, shear = np.radians(2.5) * draw.standard_normal(), 0.06 * draw.standard_normal()
    scale = np.exp(0.05 * draw.standard_normal(2))
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.array(
        [[scale[0], shear], [0, scale[1]]]
    )
    y, x = np.mgrid[:height, :width].astype(np.float32)
    middle = np.array([width / 2, height / 2])
    at = np.stack([x - middle[0], y - middle[1]], axis=-1) @ matrix.T.astype(np.float32) + middle
    move = [0.03 * EM * _slow(mask.shape, draw, EM // 3) for _ in "xy"]
    columns, rows = (np.asarray(at[..., axis] + move[axis], np.float32) for axis in (0, 1))
    return np.asarray(cv2.remap(mask, columns, rows, cv2.INTER_LINEAR), np.uint8)


def _slow(shape: tuple[int, ...], draw: np.random.Generator, pixels: int) -> NDArray[np.float32]:
    """Standard normal noise that is even over about so many pixels."""
    coarse = draw.standard_normal((shape[0] // pixels + 3, shape[1] // pixels + 3)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)


@lru_cache(maxsize=8)
def _opened(path: Path) -> bytes:
    """The font as a plain TrueType file; WOFF2 is unpacked."""
    try:
        from fontTools.ttLib import TTFont, TTLibError
    except ImportError as error:
        raise CorpusError(
            f"{path}: reading WOFF2 needs fonttools and brotli: pip install fonttools brotli"
        ) from error
    try:
        font = TTFont(path)
        font.flavor = None
        plain = io.BytesIO()
        font.save(plain)
    except (OSError, ImportError, TTLibError) as error:
        raise CorpusError(f"{path}: the font cannot be opened ({error})") from error
    return plain.getvalue()
