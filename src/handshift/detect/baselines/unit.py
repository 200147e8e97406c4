"""Words as directions, whose products are cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.detect.interface import Vectors


def units(words: Vectors) -> NDArray[np.float64]:
    """Rows of length 1; a row of zeros stays."""
    words = np.asarray(words, np.float64)
    length = np.linalg.norm(words, axis=1, keepdims=True)
    return np.asarray(words / np.where(length > 0, length, 1.0))
