"""Names of the array types that most rooms use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Numbers in double precision: scores, likelihoods, statistics."""
Flags = NDArray[np.bool_]
"""Truth values: labels of two classes, masks, memberships."""
Vectors = NDArray[np.floating]
"""Word vectors (words, dimensions) in whatever precision they are stored."""
