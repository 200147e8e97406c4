"""Connected components of a page's ink, computed once and used by all later steps."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.ink import Ink

Mask = NDArray[np.uint8]

STROKE = 95
"""Ink from this level up (of 255) counts as stroke."""


@dataclass(frozen=True, slots=True)
class Components:
    """The connected components of a page's ink, without specks."""

    mask: Mask
    """1 where a stroke is."""
    labels: NDArray[np.int32]
    """Component of each pixel; undefined where the mask is 0."""
    stats: NDArray[np.int32]
    """(labels, 5): left, top, width, height, area, as OpenCV gives them."""
    kept: NDArray[np.bool_]
    """(labels,) False for specks and the background."""

    @property
    def letter_height(self) -> float:
        """Median height of components that may be letters; 0 on an empty page."""
        heights, widths = self.stats[:, cv2.CC_STAT_HEIGHT], self.stats[:, cv2.CC_STAT_WIDTH]
        page_height, page_width = self.mask.shape
        small = (heights < 0.3 * page_height + 20) & (widths < 0.5 * page_width + 20)
        letters = self.kept & (heights > 3) & small
        return float(np.median(heights[letters])) if letters.any() else 0.0


def components_of(ink: Ink) -> Components:
    """Label the connected components; those much smaller than a pen's dot are dropped as specks."""
    mask = cv2.threshold(ink, STROKE, 1, cv2.THRESH_BINARY)[1]
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    # A dot is about as large as the stroke is wide.
    kept = stats[:, cv2.CC_STAT_AREA] >= max(4.0, 0.6 * stroke_width(mask) ** 2)
    kept[0] = False
    for speck in np.flatnonzero(~kept[1:]) + 1:
        x, y, width, height = stats[speck, :4]
        patch = slice(y, y + height), slice(x, x + width)
        mask[patch][labels[patch] == speck] = 0
    return Components(mask, labels, stats, kept)


def stroke_width(mask: Mask) -> float:
    """Mean stroke width in pixels: area over half the length of the outline."""
    area = cv2.countNonZero(mask)
    if area == 0:
        return 0.0
    across = cv2.countNonZero(cv2.absdiff(mask[:, 1:], mask[:, :-1]))
    down = cv2.countNonZero(cv2.absdiff(mask[1:], mask[:-1]))
    # Crossings along the two axes over-count a slanted outline by 4/π on average.
    return 2.0 * area / max(1.0, (across + down) * np.pi / 4)
