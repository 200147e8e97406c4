"""Pseudo-writers: sheared or stretched copies of each writer, as additional training classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PSEUDO_WRITERS = ((0.0, 1.0), (0.3, 1.0), (-0.3, 1.0), (0.0, 1.28), (0.0, 0.78))
"""(shear, stretch) of each pseudo-writer; number 0 is the writer unchanged."""


def draw_pseudo_writers(rng: np.random.Generator, count: int, share: float) -> NDArray[np.int64]:
    """(count,) numbers in `PSEUDO_WRITERS`: with probability `share` one of the copies, else 0."""
    return np.where(rng.random(count) < share, rng.integers(1, len(PSEUDO_WRITERS), count), 0)
