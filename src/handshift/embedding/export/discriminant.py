"""The directions in which writers differ and one writer's words do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from handshift.core.errors import HandshiftError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Discriminant:
    """y = (x − mean) · axes."""

    mean: Floats
    """(given dimensions,)"""
    axes: Floats
    """(given dimensions, kept dimensions); words of one writer have about unit variance along each."""


def fit_discriminant(
    vectors: NDArray[np.floating], writer: NDArray[np.str_], dimensions: int, shrinkage: float
) -> Discriminant:
    """Solve B·a = λ·W·a for the largest λ, with W shrunk towards a multiple of the identity.

    W is the mean over writers of the covariance within each, all their days together: what a hand does
    otherwise on another day is to be passed over as well. B is the covariance of the writers' means.
    """
    names, of = np.unique(writer, return_inverse=True)
    given = vectors.shape[1]
    if names.size < 2 or not 1 <= dimensions <= given:
        raise HandshiftError(
            f"a discriminant needs two writers and at most {given} dimensions; "
            f"{names.size} and {dimensions} were given"
        )
    counts = np.bincount(of)
    means = np.zeros((names.size, given))
    np.add.at(means, of, vectors)
    means /= counts[:, None]
    deviation = (vectors - means[of]) / np.sqrt(counts[of] * names.size)[:, None]
    within = deviation.T @ deviation
    within = (1 - shrinkage) * within + shrinkage * np.trace(within) / given * np.eye(given)
    mean = means.mean(axis=0)
    between = (means - mean).T @ (means - mean) / names.size
    _, axes = eigh(between, within)
    return Discriminant(mean, np.ascontiguousarray(axes[:, ::-1][:, :dimensions]))
