"""Pages longer than the calibrated ones: examined in stretches of a length that was calibrated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handshift.calibration.page_calibration import PageLr
from handshift.core.arrays import Floats

_WHOLE = 2.0
"""Lengths of the longest calibrated pages up to which a page is scored as a whole."""


def stretches(words: int, longest: float) -> list[slice]:
    """Divide a page into overlapping stretches of consecutive words.

    Neighbours share half of their words or more, so that every change of hand lies well inside of one.

    Args:
        words: Words of the page.
        longest: Words of the longest calibrated pages.

    Returns:
        One slice of the words for each stretch; the whole page where it is not much longer than `longest`.
    """
    length = max(2, round(longest))
    if words <= _WHOLE * length:
        return [slice(0, words)]
    count = int(np.ceil(2 * (words - length) / length)) + 1
    starts = np.linspace(0, words - length, count).round().astype(int)
    return [slice(int(start), int(start) + length) for start in starts]


def mean_ratio(ratios: Sequence[PageLr]) -> PageLr:
    """The likelihood ratio of a page from those of its K stretches: LR = (1/K)·Σ LR_k.

    This is the ratio of "another hand wrote in one of the stretches, in each with equal probability" if
    stretches are independent. However dependent they are, its mean over pages by one hand stays 1, so that
    at most one such page in t has a ratio of t or more, as for a single stretch.

    Args:
        ratios: Calibrated ratios of the stretches, at least one.
    """
    rows = np.array([[one.log10_lr, *one.bounds, *one.interval] for one in ratios])  # (stretches, 5)
    ratio, lowest, highest, low, high = map(float, _log10_mean(rows))
    return PageLr(ratio, (lowest, highest), (low, high))


def _log10_mean(rows: Floats) -> Floats:
    """log10 of the mean of 10^rows over the first axis."""
    top = rows.max(axis=0)
    return np.asarray(top + np.log10(np.mean(10.0 ** (rows - top), axis=0)))
