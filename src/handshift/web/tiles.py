"""Tiles of a page for deep zoom, cut on demand from its stored pixels."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError

TILE = 512
JPEG_QUALITY = 88


def levels(width: int, height: int) -> int:
    """Number of the finest level; level k has 1/2^(finest − k) of the resolution."""
    return max(0, math.ceil(math.log2(max(width, height, 1))))


def tile(path: Path, level: int, column: int, row: int) -> bytes:
    """One tile as JPEG.

    Args:
        path: The page's PNG in the file store.
        level: Deep-zoom level; the finest shows every pixel.
        column: Column of the tile, from 0.
        row: Row of the tile, from 0.

    Returns:
        JPEG bytes of at most 512×512 pixels.

    Raises:
        HandshiftError: No such tile.
    """
    image = _decoded(path)
    height, width = image.shape[:2]
    finest = levels(width, height)
    if not 0 <= level <= finest:
        raise HandshiftError(f"no level {level}: the page has 0 to {finest}")
    step = 1 << (finest - level)
    span = TILE * step
    part = image[row * span : (row + 1) * span, column * span : (column + 1) * span]
    if min(column, row) < 0 or part.size == 0:
        raise HandshiftError("no such tile")
    if step > 1:
        size = (max(1, math.ceil(part.shape[1] / step)), max(1, math.ceil(part.shape[0] / step)))
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return jpeg(part)


def crop(path: Path, box: tuple[int, int, int, int], margin: int = 6, widest: int = 1200) -> bytes:
    """A part of the page as PNG, with a margin; at most `widest` pixels wide."""
    image = _decoded(path)
    x, y, width, height = box
    top, left = max(0, y - margin), max(0, x - margin)
    part = image[top : y + height + margin, left : x + width + margin]
    if part.size == 0:
        raise HandshiftError("the box lies outside of the page")
    if part.shape[1] > widest:
        size = (widest, max(1, round(part.shape[0] * widest / part.shape[1])))
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return bytes(cv2.imencode(".png", part)[1].tobytes())


def thumbnail(path: Path, longest: int = 240) -> bytes:
    """The whole page, small, as JPEG."""
    image = _decoded(path)
    scale = min(1.0, longest / max(image.shape[:2]))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return jpeg(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8))


def jpeg(image: NDArray[np.uint8]) -> bytes:
    """Encode BGR pixels."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes())


@lru_cache(maxsize=4)
def _decoded(path: Path) -> NDArray[np.uint8]:
    """BGR pixels; the last few pages are kept, for a viewer asks for many tiles of one."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise HandshiftError("the page's stored pixels cannot be read")
    return np.asarray(image, np.uint8)
