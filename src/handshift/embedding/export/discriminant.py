"""Linear discriminant analysis (LDA): directions that separate writers."""

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
    """(input dimensions,)"""
    axes: Floats
    """(input dimensions, output dimensions); words of one writer have about unit variance along each."""


def fit_discriminant(
    vectors: NDArray[np.floating], writer: NDArray[np.str_], dimensions: int, shrinkage: float
) -> Discriminant:
    """Fit LDA: solve B·a = λ·W·a for the largest λ, with W shrunk towards a multiple of the identity.

    W is the mean over writers of the within-writer covariance over all sessions, so that variation between
    sessions is suppressed as well. B is the covariance of the writers' means.

    Args:
        vectors: (words, dimensions).
        writer: (words,).
        dimensions: Number of axes kept.
        shrinkage: 0 is W itself, 1 a multiple of the identity.

    Returns:
        Mean and axes.

    Raises:
        HandshiftError: Fewer than two writers, or more dimensions than the vectors have.
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
