"""Labels and scores that can be measured, or a sentence that says why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from handshift.core.arrays import Flags, Floats
from handshift.core.errors import HandshiftError


class UnmeasurableError(HandshiftError):
    """These labels and scores have no such figure."""


def as_scored(labels: ArrayLike, scores: ArrayLike) -> tuple[Flags, Floats]:
    """Check and convert: ``labels`` (N,) of 0/1 with both present, ``scores`` (N,), larger = label 1."""
    raw, values = np.asarray(labels), np.asarray(scores, dtype=np.float64)
    if raw.ndim != 1 or raw.shape != values.shape:
        raise UnmeasurableError(
            f"labels {raw.shape} and scores {values.shape} must be two lists of one length"
        )
    unknown = np.setdiff1d(raw, [0, 1])
    if unknown.size:
        raise UnmeasurableError(f"labels must be 0 or 1, but {unknown[0]!r} is among them")
    if np.isnan(values).any():
        raise UnmeasurableError(f"{int(np.isnan(values).sum())} of {values.size} scores are NaN")
    flags = raw.astype(np.bool_)
    if not flags.any() or flags.all():
        raise UnmeasurableError(f"all {raw.size} labels are {int(flags.any())}: both classes are needed")
    return flags, values
