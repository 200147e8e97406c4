"""How well found word boxes agree with true ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Box


def overlaps(found: Sequence[Box], truth: Sequence[Box]) -> NDArray[np.float64]:
    """Intersection over union of every found box with every true one; (found, truth)."""
    a, b = (np.asarray(boxes, float).reshape(-1, 1, 4) for boxes in (found, truth))
    b = b.transpose(1, 0, 2)
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2)
    return shared / (a[..., 2:].prod(axis=2) + b[..., 2:].prod(axis=2) - shared)


def box_f1(found: Sequence[Box], truth: Sequence[Box], least: float = 0.5) -> float:
    """F1 of boxes matched one to one, best overlap first."""
    iou = overlaps(found, truth)
    matched = 0
    while iou.size and iou.max() >= least:
        row, column = np.unravel_index(int(iou.argmax()), iou.shape)
        iou[row], iou[:, column] = 0, 0
        matched += 1
    return 2 * matched / max(1, len(found) + len(truth))
