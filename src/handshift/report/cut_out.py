"""The pixels of a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Box

MARGIN = 4
"""Pixels of a report's cut-outs around the box."""


def cut_out(image: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    """The pixels of a box with a small margin."""
    top, left = max(box.y - MARGIN, 0), max(box.x - MARGIN, 0)
    return image[top : box.y + box.height + MARGIN, left : box.x + box.width + MARGIN]
