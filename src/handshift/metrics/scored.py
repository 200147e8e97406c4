"""Validation of labels and scores before they are measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from handshift.core.arrays import Flags, Floats
from handshift.core.errors import HandshiftError


class UnmeasurableError(HandshiftError):
    """The metric is not defined for these labels and scores."""


def as_scored(labels: ArrayLike, scores: ArrayLike) -> tuple[Flags, Floats]:
    """Check labels and scores and convert them.

    Args:
        labels: (N,) of 0 and 1, both present.
        scores: (N,) scores, larger for label 1.

    Returns:
        Labels as truth values and scores in double precision.

    Raises:
        UnmeasurableError: Shapes differ, a label is neither 0 nor 1, a score is NaN, or a class is absent.
    """
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
