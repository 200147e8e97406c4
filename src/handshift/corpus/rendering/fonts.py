"""A page written with a font, as its person might have written it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.corpus.rendering.glyphs import EM, Hand, varied
from handshift.corpus.rendering.pens import random_pen
from handshift.corpus.rendering.sheet import DPI, Sheet
from handshift.corpus.scribes.page import Ink
from handshift.corpus.scribes.pen import Pen
from handshift.page.word import Box

FINE = 4
"""Fine pixels per page pixel."""
_LINES, _WORDS = 9, 5
_GAP, _LEADING = 0.45, 1.9
"""Space between words and distance of lines, in ems."""


def draw_font_page(
    font: Path, words: Sequence[str], draw: np.random.Generator, pen: Pen | None = None
) -> NDArray[np.uint8]:
    """Write words drawn from a list with a font.

    Every glyph is drawn anew (`varied`), with the pen's stroke width, on a wandering baseline, so that
    neither repeated shapes nor the font's weight are a cue.

    Args:
        font: TrueType or WOFF2 file.
        words: What may be written.
        draw: Source of chance.
        pen: The pen; a random one where it is not given.

    Returns:
        (height, width, 3) RGB at 150 dpi, nine lines of five words.

    Raises:
        CorpusError: The font cannot be opened.
    """
    hand, pen = Hand(font), pen or random_pen(draw)
    size = 1.2 * float(np.exp(0.12 * draw.standard_normal()))
    width = pen.width_mm * DPI / 25.4 * FINE / size
    lines = [[str(word) for word in draw.choice(words, _WORDS)] for _ in range(_LINES)]
    advances = [[hand.advance(word) for word in line] for line in lines]
    longest = max(sum(line) + (_WORDS - 1) * _GAP * EM for line in advances)
    canvas = np.zeros((int((_LINES + 1) * _LEADING * EM), int(longest * 1.15 + 2 * EM)), np.uint8)
    for number, line in enumerate(lines):
        x, y = EM * draw.uniform(0.6, 0.9), (number + 0.4) * _LEADING * EM
        for word in line:
            x = _write(canvas, hand, word, (x, y), width, draw)
            x += _GAP * EM * float(np.exp(0.2 * draw.standard_normal()))
    return _on_paper(canvas, size / FINE, pen, draw)


def _write(
    canvas: NDArray[np.uint8],
    hand: Hand,
    word: str,
    at: tuple[float, float],
    width: float,
    draw: np.random.Generator,
) -> float:
    """Lay a word's glyphs on the canvas from `at` on; the x after it."""
    x, y = at
    left, top = hand.origin()
    for character in word:
        drawn = varied(hand.glyph(character), width, draw)
        row, column = int(y + 0.03 * EM * draw.standard_normal()) - top, int(x) - left
        row, column = max(row, 0), max(column, 0)
        spot = canvas[row : row + drawn.shape[0], column : column + drawn.shape[1]]
        np.maximum(spot, drawn[: spot.shape[0], : spot.shape[1]], out=spot)
        x += hand.advance(character) * float(np.exp(0.04 * draw.standard_normal()))
    return x


def _on_paper(
    canvas: NDArray[np.uint8], scale: float, pen: Pen, draw: np.random.Generator
) -> NDArray[np.uint8]:
    size = (int(canvas.shape[1] * scale), int(canvas.shape[0] * scale))
    fine = cv2.GaussianBlur(canvas, (0, 0), 0.45 / scale)
    opacity = cv2.resize(fine, size, interpolation=cv2.INTER_AREA)
    sheet = Sheet(size[1] + 40, size[0] + 40, draw)
    shade = np.asarray(opacity * min(1.0, pen.darkness + 0.05), np.uint8)
    sheet.take(Ink(Box(20, 20, size[0], size[1]), shade), pen)
    return sheet.scan()
