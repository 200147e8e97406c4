"""The three-level Gaussian model of word vectors: writer, session, word."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.atomic import write_bytes
from handshift.detect.sessions import sessions_of
from handshift.error import HandshiftError

Vectors = NDArray[np.floating]


@dataclass(frozen=True)
class CovarianceModel:
    """x = mean + writer + session + word, independent in the projected dimensions.

    The session term is why a page by one writer on two days is not taken for two writers.
    """

    mean: NDArray[np.float64]
    """(raw dimensions,)"""
    projection: NDArray[np.float64]
    """(raw dimensions, dimensions); word variance is 1 in every projected dimension."""
    writer: NDArray[np.float64]
    """(dimensions,) variance between writers."""
    session: NDArray[np.float64]
    """(dimensions,) variance between sessions of one writer."""

    def project(self, vectors: Vectors) -> NDArray[np.float64]:
        """(words, raw dimensions) → (words, dimensions)."""
        return np.asarray((vectors - self.mean) @ self.projection, np.float64)

    def save(self, path: Path) -> None:
        """Write as plain arrays."""
        buffer = io.BytesIO()
        np.savez(buffer, mean=self.mean, projection=self.projection, writer=self.writer, session=self.session)
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> CovarianceModel:
        """Read what `save` wrote; never unpickles."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return cls(arrays["mean"], arrays["projection"], arrays["writer"], arrays["session"])
        except (OSError, ValueError, KeyError) as error:
            raise HandshiftError(f"{path}: not a covariance model ({error})") from error


def fit_covariances(
    vectors: Vectors,
    writer: NDArray[np.str_],
    session: NDArray[np.int64],
    dimensions: int = 48,
    shrinkage: float = 0.1,
) -> CovarianceModel:
    """Fit by moments: word scatter within sessions, session means within writers, writer means.

    Each level's mean still carries the noise of the level below, which is subtracted. The word covariance is
    shrunk towards a multiple of the identity, so that few writers can be fitted.
    """
    found = sessions_of(vectors, writer, session)
    deviation = vectors - found.means[found.of_word]
    word = deviation.T @ deviation / (len(vectors) - found.words.size)
    word = (1 - shrinkage) * word + shrinkage * np.trace(word) / len(word) * np.eye(len(word))
    mean = found.writers.mean(axis=0)
    centred = found.writers - mean
    between = centred.T @ centred / max(1, len(centred) - 1)
    from scipy.linalg import eigh  # only fitting needs it, and examining should start at once

    _, basis = eigh(between, word)
    projection = np.ascontiguousarray(basis[:, ::-1][:, :dimensions])

    noise, several = 1.0 / found.words, found.repeated  # the word variance is 1 here
    apart = ((found.means - found.writers[found.writer]) @ projection)[several]
    below = noise[several].mean() if several.any() else 0.0
    session_variance = np.maximum(np.square(apart).sum(axis=0) / found.freedom - below, 0.02)
    below_writers = (session_variance + noise.mean()) * (1.0 / found.days).mean()
    total = np.square(centred @ projection).sum(axis=0) / max(1, len(centred) - 1)
    return CovarianceModel(mean, projection, np.maximum(total - below_writers, 0.02), session_variance)
