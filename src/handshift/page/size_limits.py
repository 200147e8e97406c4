"""Limits on the size of a page, checked against the header before pixels are decoded."""

from __future__ import annotations

from pathlib import Path

from handshift.core.errors import PageError

MAX_PIXELS = 200_000_000
MIN_SIDE = 8  # pixels; narrower than a pen stroke with its surroundings

TOO_MUCH_MEMORY = "needs more memory to decode than it may use; scan it at a lower resolution"


def check_size(width: float, height: float, path: Path, number: int = 0) -> None:
    """Refuse a page that would not fit into memory, or is too small for a word.

    Args:
        width: Pixels across.
        height: Pixels down.
        path: The file, for the error message.
        number: Page within the file, from 0.

    Raises:
        PageError: The page has more than 200 megapixels, or a side under 8 pixels.
    """
    where = f"page {number + 1}: " if number else ""
    size = f"{width:.0f}×{height:.0f} pixels"
    if width * height > MAX_PIXELS:
        limit = f"{MAX_PIXELS // 1_000_000} megapixels"
        raise PageError(path, f"{where}{size} is over the limit of {limit}; scan it at a lower resolution")
    if min(width, height) < MIN_SIDE:
        advice = f"a side is under {MIN_SIDE} pixels; leave it out, or scan it larger"
        raise PageError(path, f"{where}{size} is too small to hold writing: {advice}")
