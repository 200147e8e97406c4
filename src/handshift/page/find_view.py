"""From a scan to the upright sheet and its words: where the sheet lies, and which way up the writing is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handshift.page.find_words import Segmentation
from handshift.page.segment import segment
from handshift.page.sheet import find_sheet
from handshift.page.view import WHOLE_SCAN, View

_UPSIDE_DOWN = -0.15
"""Evidence below which a page is turned over. Of 48 pages by train writers of CSAFE, copiste and IAM the
least has +0.32, and a page upside down has the same with the sign changed."""


def segment_view(image: NDArray[np.uint8]) -> tuple[View, NDArray[np.uint8], Segmentation]:
    """Find the sheet, turn it upright, and find its words.

    Args:
        image: RGB pixels of a scan or photo.

    Returns:
        How the scan is seen, the upright sheet, and its words in pixels of that sheet.
    """
    sheet = find_sheet(image)
    height, width = image.shape[:2]
    view = View(0, sheet, (width, height)) if sheet else WHOLE_SCAN
    seen = view.apply(image)
    found = segment(seen)
    if not (found.sideways or found.upright < _UPSIDE_DOWN):
        return view, seen, found
    first = turned(view, 90 if found.sideways else 180, (width, height))
    seen = first.apply(image)
    again = segment(seen)
    if found.sideways and again.upright < _UPSIDE_DOWN:
        over = turned(view, 270, (width, height))
        seen = over.apply(image)
        return over, seen, segment(seen)
    return first, seen, again


def turned(view: View, degrees: int, scan: tuple[int, int]) -> View:
    """The same sheet, turned clockwise."""
    sheet = view.sheet
    if sheet:
        quarters = degrees // 90
        one, two, three, four = (sheet[(at - quarters) % 4] for at in range(4))
        sheet = (one, two, three, four)
    return replace(view, turned=degrees, sheet=sheet, scan=scan)
