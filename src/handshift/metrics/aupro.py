"""AUPRO: area under the per-region-overlap curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.metrics.scored import UnmeasurableError

STEPS = 500


def aupro(anomaly: NDArray[np.floating], masks: NDArray[np.bool_], limit: float = 0.3) -> float:
    """Area under PRO(t) over FPR(t) ≤ ``limit``, divided by ``limit`` (Bergmann et al. 2020).

    PRO(t) is the mean over connected regions of the share of the region with anomaly ≥ t, FPR(t) the share
    of all other pixels. A region of ten pixels counts as much as one of a thousand.

    Args:
        anomaly: (N, H, W) anomaly scores.
        masks: (N, H, W), True on defects.
        limit: Largest false-positive rate over which the curve is integrated.

    Returns:
        The normalised area; 1 is perfect.

    Raises:
        UnmeasurableError: There are no defect pixels, or nothing else.
    """
    if not masks.any() or masks.all():
        raise UnmeasurableError("AUPRO needs pixels within and outside of defects")
    from scipy.ndimage import label  # not needed to examine a page, which should start at once

    normal = anomaly[~masks]
    # Thresholds are quantiles of normal pixels, so that the integral has equal steps of FPR.
    fpr = np.linspace(0, limit, STEPS)
    thresholds = np.quantile(normal, 1 - fpr)
    overlap = np.zeros(STEPS)
    regions = 0
    for values, mask in zip(anomaly, masks, strict=True):
        numbered, count = label(mask, structure=np.ones((3, 3)))
        for number in range(1, count + 1):
            own = np.sort(values[numbered == number])
            overlap += 1 - np.searchsorted(own, thresholds, side="left") / own.size
            regions += 1
    return float(np.trapezoid(overlap / regions, fpr) / limit)
