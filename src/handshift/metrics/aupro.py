"""How much of every single defect is covered, however small: per-region overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.metrics.scored import UnmeasurableError

STEPS = 500


def aupro(anomaly: NDArray[np.floating], masks: NDArray[np.bool_], limit: float = 0.3) -> float:
    """Area under PRO(t) over FPR(t) ≤ ``limit``, divided by ``limit`` (Bergmann et al. 2020); 1 is perfect.

    ``anomaly`` and ``masks`` (N, H, W). PRO(t) is the mean over connected regions of the share of the region
    with anomaly ≥ t, FPR(t) the share of all other pixels. A region of ten pixels counts as much as one of a
    thousand.
    """
    if not masks.any() or masks.all():
        raise UnmeasurableError("AUPRO needs pixels within and outside of defects")
    from scipy.ndimage import label  # not needed to examine a page, which should start at once

    normal = anomaly[~masks]
    # Thresholds by quantiles of normal pixels: equal steps of FPR where the area is taken.
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
