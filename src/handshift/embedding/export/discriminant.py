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
    vectors: NDArray[np.floating],
    writer: NDArray[np.str_],
    dimensions: int,
    shrinkage: float,
    database: NDArray[np.str_] | None = None,
) -> Discriminant:
    """Fit LDA: solve B·a = λ·W·a for the largest λ, with W shrunk towards a multiple of the identity.

    W is the mean over writers of the within-writer covariance over all sessions, so that variation between
    sessions is suppressed as well. B is the covariance of the writers' means within their database: what
    databases differ in is no trait of a hand. Databases have equal weight, however many writers they have.

    Args:
        vectors: (words, dimensions).
        writer: (words,).
        dimensions: Number of axes kept.
        shrinkage: 0 is W itself, 1 a multiple of the identity.
        database: (words,) database of each word; all of one where it is not given.

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
    home = np.zeros(names.size, np.int64)
    if database is not None:
        home[of] = np.unique(database, return_inverse=True)[1]
    people = np.bincount(home)
    share = 1 / (people[home] * people.size)  # (writers,) adds up to 1, and alike over databases
    deviation = (vectors - means[of]) * np.sqrt(share[of] / counts[of])[:, None]
    within = deviation.T @ deviation
    within = (1 - shrinkage) * within + shrinkage * np.trace(within) / given * np.eye(given)
    middles = np.zeros((people.size, given))
    np.add.at(middles, home, means / people[home][:, None])
    apart = (means - middles[home]) * np.sqrt(share)[:, None]
    between, mean = apart.T @ apart, middles.mean(axis=0)
    _, axes = eigh(between, within)
    return Discriminant(mean, np.ascontiguousarray(axes[:, ::-1][:, :dimensions]))
