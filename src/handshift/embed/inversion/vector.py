"""A vector from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.error import HandshiftError


def read_vector(path: Path) -> NDArray[np.floating]:
    """One vector, or the mean of several unit rows; pickles are not opened, for they could run code."""
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise HandshiftError(f"{path}: not an .npy file of numbers") from error
    if (
        not isinstance(found, np.ndarray)
        or found.dtype.kind != "f"
        or found.ndim not in (1, 2)
        or not found.size
    ):
        raise HandshiftError(f"{path}: a vector, or rows of vectors, of floating-point numbers is wanted")
    mean: NDArray[np.floating] = found if found.ndim == 1 else found.mean(axis=0)
    return mean
