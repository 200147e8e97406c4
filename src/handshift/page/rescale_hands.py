"""Word boxes in the coordinates of another image of the same page, such as a IIIF canvas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handshift.page.hand_labels import HandsOnPage
from handshift.page.view import View
from handshift.page.word import Box


def rescaled(handed: HandsOnPage, width: int, height: int) -> HandsOnPage:
    """Scale the boxes of a page to another size; pixels and ink are left out.

    Boxes are those of the upright sheet that was examined. Where the scan was turned or shows more than the
    sheet, they are mapped back to the scan first.

    Args:
        handed: The page and its attributions.
        width: Of the other image.
        height: Likewise.
    """
    page = handed.page.without_pixels()
    view = page.view
    seen = (page.image.shape[1], page.image.shape[0]) if view.is_whole_scan else view.scan
    factors = np.array([width / seen[0], height / seen[1]])
    words = tuple(replace(word, box=_scaled(word.box, view, factors)) for word in page.words)
    sized = replace(page, image=np.empty((height, width, 0), np.uint8), words=words)
    return HandsOnPage(sized, handed.hands, handed.certainty)


def _scaled(box: Box, view: View, factors: NDArray[np.float64]) -> Box:
    x, y, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
    corners = np.array([[x, y], [right, y], [right, bottom], [x, bottom]], float)
    placed = (corners if view.is_whole_scan else view.to_scan(corners)) * factors
    left, top = (round(float(side)) for side in placed.min(axis=0))
    right, bottom = (round(float(side)) for side in placed.max(axis=0))
    return Box(left, top, max(1, right - left), max(1, bottom - top))
