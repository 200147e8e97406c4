"""Paper and scanner: background, rules, texture and sensor noise."""

from __future__ import annotations

from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray


class Paper(StrEnum):
    """What is printed on the paper."""

    PLAIN = "plain"
    RULED = "ruled"
    SQUARED = "squared"
    TINTED = "tinted"


_BASE = {
    Paper.PLAIN: (246, 245, 242),
    Paper.RULED: (247, 246, 241),
    Paper.SQUARED: (245, 246, 245),
    Paper.TINTED: (238, 228, 201),
}
_RULE = np.array((178, 198, 218), np.float32)
_MARGIN_RULE = np.array((226, 172, 176), np.float32)


def blank_paper(
    style: Paper,
    height: int,
    width: int,
    dpi: float,
    rules: NDArray[np.float64],
    draw: np.random.Generator,
) -> NDArray[np.float32]:
    """Page without ink, height × width × 3; ruled paper has a line at each y of ``rules`` (mm)."""
    page = np.empty((height, width, 3), np.float32)
    page[:] = _BASE[style]
    scale = dpi / 25.4
    if style is Paper.RULED:
        for y in rules * scale:
            _rule(page, y, 0.22 * scale, axis=0, colour=_RULE)
        _rule(page, 15 * scale, 0.22 * scale, axis=1, colour=_MARGIN_RULE)
    elif style is Paper.SQUARED:
        for axis, size in ((0, height), (1, width)):
            for at in np.arange(2.5 * scale, size, 5 * scale):
                _rule(page, at, 0.18 * scale, axis=axis, colour=_RULE)
    return page + _clouds(height, width, draw)[:, :, None]


def _rule(
    page: NDArray[np.float32], at: float, thickness: float, *, axis: int, colour: NDArray[np.float32]
) -> None:
    """Tint the rows (or columns) around `at` by how much of each the line covers."""
    lines = page if axis == 0 else page.transpose(1, 0, 2)
    first = int(np.floor(at - thickness / 2))
    for row in range(max(first, 0), min(first + int(np.ceil(thickness)) + 2, len(lines))):
        cover = min(row + 1, at + thickness / 2) - max(row, at - thickness / 2)
        if cover > 0:
            lines[row] += (colour - lines[row]) * min(cover, 1.0) * 0.8


def _clouds(height: int, width: int, draw: np.random.Generator) -> NDArray[np.float32]:
    """Slow unevenness of paper and lamp, a few grey levels."""
    coarse = draw.standard_normal((6, 6)).astype(np.float32) * 1.5
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def paper_tooth(height: int, width: int, draw: np.random.Generator) -> NDArray[np.float32]:
    """Fine relief of the paper, standard normal; pencils and dry pens skip its valleys."""
    noise = draw.standard_normal((height, width), dtype=np.float32)
    soft = cv2.GaussianBlur(noise, (3, 3), 0.7)
    return np.asarray(soft / soft.std(), np.float32)


def scanned(
    page: NDArray[np.float32], tooth: NDArray[np.float32], noise: float, draw: np.random.Generator
) -> NDArray[np.uint8]:
    """The page as a scanner delivers it: relief is faintly visible, the sensor adds noise (grey levels)."""
    sensor = draw.standard_normal(page.shape[:2], dtype=np.float32) * noise
    # The sensor's noise is mostly the same in the three colours after a scanner's own smoothing.
    seen = page + (0.9 * tooth + sensor)[:, :, None]
    return np.clip(np.round(seen), 0, 255).astype(np.uint8)
