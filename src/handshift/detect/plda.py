"""PLDA of word vectors (a two-covariance model with a third level): writer, session and word covariances.

`fit_plda` estimates the model by moments; `log_ratios` is its likelihood ratio of one writer against two for
pairs of word sets.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats, Vectors
from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npz
from handshift.embedding.mean_length import MeanLength
from handshift.embedding.prototypes import Prototypes

Numbers = NDArray[np.intp]


class Sessions(NamedTuple):
    """Session and writer means, and the session of each word."""

    means: Floats
    """(sessions, dims)"""
    of_word: Numbers
    """(words,) session of each word."""
    words: Numbers
    """(sessions,) number of words."""
    writers: Floats
    """(writers, dims), unweighted over sessions."""
    writer: Numbers
    """(sessions,) writer of each session."""
    days: Numbers
    """(writers,) number of sessions."""

    @property
    def repeated(self) -> NDArray[np.bool_]:
        """(sessions,) whether the writer has other sessions."""
        return np.asarray(self.days[self.writer] > 1)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of sessions about their writers' means."""
        return max(1, int(self.repeated.sum() - (self.days > 1).sum()))


def sessions_of(
    vectors: NDArray[np.floating], writer: NDArray[np.str_], session: NDArray[np.int64]
) -> Sessions:
    """Means of (words, dims) by session and writer."""
    names = np.char.add(np.char.add(writer, "/"), session.astype(str))
    _, first, of_word, words = np.unique(names, return_index=True, return_inverse=True, return_counts=True)
    _, owner, days = np.unique(writer[first], return_inverse=True, return_counts=True)
    means = _means(vectors, of_word, words)
    return Sessions(means, of_word, words, _means(means, owner, days), owner, days)


def _means(rows: NDArray[np.floating], group: Numbers, counts: Numbers) -> Floats:
    sums = np.zeros((counts.size, rows.shape[1]))
    np.add.at(sums, group, rows)
    return np.asarray(sums / counts[:, None])


@dataclass(frozen=True)
class Plda:
    """PLDA with three levels: x = mean + writer + session + word, independent in the projected dimensions.

    The session level keeps pages by one writer in two sessions from being scored as two writers.
    """

    mean: NDArray[np.float64]
    """(raw dimensions,)"""
    projection: NDArray[np.float64]
    """(raw dimensions, dimensions); word variance is 1 in every projected dimension."""
    writer: NDArray[np.float64]
    """(dimensions,) variance between writers."""
    session: NDArray[np.float64]
    """(dimensions,) variance between sessions of one writer."""
    length: MeanLength | None = None
    """Length of the means of word sets, where these are compared by direction; kept in comparison.json."""

    def project(self, vectors: Vectors) -> NDArray[np.float64]:
        """(words, raw dimensions) → (words, dimensions)."""
        return np.asarray((vectors - self.mean) @ self.projection, np.float64)

    def project_means(self, sets: Prototypes) -> NDArray[np.float64]:
        """(sets, dimensions) means of word sets, of the length expected of so many words."""
        return self.project((self.length.normalised(sets) if self.length else sets).means)

    def save(self, path: Path) -> None:
        """Write as plain arrays."""
        buffer = io.BytesIO()
        np.savez(buffer, mean=self.mean, projection=self.projection, writer=self.writer, session=self.session)
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Plda:
        """Read what `save` wrote; never unpickles.

        Raises:
            HandshiftError: the file is missing or holds no PLDA model.
        """
        try:
            arrays = read_npz(path)
            return cls(arrays["mean"], arrays["projection"], arrays["writer"], arrays["session"])
        except (LoadError, KeyError) as error:
            raise HandshiftError(
                f"{path}: not a PLDA model ({error}); `handshift calibrate` writes one"
            ) from error


def fit_plda(
    vectors: Vectors,
    writer: NDArray[np.str_],
    session: NDArray[np.int64],
    dimensions: int = 48,
    shrinkage: float = 0.1,
    population: NDArray[np.str_] | None = None,
) -> Plda:
    """Fit by moments: word scatter within sessions, session means within writers, writer means.

    The variance of each level's mean includes the noise of the level below, which is subtracted. The
    projection diagonalises the between-writer against the word covariance (LDA). Of several populations,
    writers vary about the mean of their own: scanner and paper of another say nothing of the hand.

    Args:
        vectors: (words, raw dimensions).
        writer: (words,).
        session: (words,) session number of each word within its writer.
        dimensions: leading discriminant dimensions that are kept.
        shrinkage: of the word covariance towards a multiple of the identity, for few writers.
        population: (words,) name of the population of each word's writer; all of one if None.
    """
    found = sessions_of(vectors, writer, session)
    deviation = vectors - found.means[found.of_word]
    word = deviation.T @ deviation / (len(vectors) - found.words.size)
    word = (1 - shrinkage) * word + shrinkage * np.trace(word) / len(word) * np.eye(len(word))
    mean = found.writers.mean(axis=0)
    centred, freedom = found.writers - mean, max(1, len(found.writers) - 1)
    if population is not None:
        _, first = np.unique(writer, return_index=True)  # in the order of `found.writers`
        _, own, size = np.unique(population[first], return_inverse=True, return_counts=True)
        centred, freedom = found.writers - _means(found.writers, own, size)[own], max(1, len(own) - size.size)
    between = centred.T @ centred / freedom
    from scipy.linalg import eigh  # only fitting needs scipy, and `examine` should start fast

    _, basis = eigh(between, word)
    projection = np.ascontiguousarray(basis[:, ::-1][:, :dimensions])

    noise, several = 1.0 / found.words, found.repeated  # the word variance is 1 here
    deviations = ((found.means - found.writers[found.writer]) @ projection)[several]
    below = noise[several].mean() if several.any() else 0.0
    session_variance = np.maximum(np.square(deviations).sum(axis=0) / found.freedom - below, 0.02)
    below_writers = (session_variance + noise.mean()) * (1.0 / found.days).mean()
    total = np.square(centred @ projection).sum(axis=0) / freedom
    return Plda(mean, projection, np.maximum(total - below_writers, 0.02), session_variance)


def log_ratios(one: Prototypes, others: Prototypes, model: Plda) -> NDArray[np.float64]:
    """PLDA log likelihood ratio: ln p(a, b | one writer in two sessions) − ln p(a, b | two writers).

    In each projected dimension the means of a and b are normal with variances v = β + σ + 1/n (β writer,
    σ session, n words of variance 1) and covariance β for one writer, 0 for two. With x, y the means over √v
    and ρ = β/√(v_a·v_b),

        ln LR = −½ Σ [ln(1 − ρ²) + (ρ²(x² + y²) − 2ρxy) / (1 − ρ²)]

    Args:
        one: means and counts of the first sets; as many as `others`, or a single one.
        others: means and counts of the second sets.
        model: the PLDA model.

    Returns:
        (pairs,) natural log ratios, before calibration.
    """
    level = model.writer + model.session
    variances = (level + 1 / one.counts[:, None], level + 1 / others.counts[:, None])
    return log_ratio_of_means(
        (model.project_means(one), model.project_means(others)), variances, model.writer
    )


def log_ratio_of_means(
    means: tuple[Floats, Floats], variances: tuple[Floats, Floats], writer: Floats
) -> NDArray[np.float64]:
    """The ratio of `log_ratios` for projected means of known variance.

    Args:
        means: (1 or pairs, dimensions) of either side.
        variances: (1 or pairs, dimensions) of either side's mean about the population's.
        writer: (dimensions,) covariance of both sides where one writer wrote both.

    Returns:
        (pairs,) natural log ratios.
    """
    a_var, b_var = variances
    x, y = means[0] / np.sqrt(a_var), means[1] / np.sqrt(b_var)
    rho = writer / np.sqrt(a_var * b_var)
    free = 1 - rho * rho
    square = (rho * rho * (x * x + y * y) - 2 * rho * x * y) / free
    return np.asarray(-0.5 * (np.log(free) + square).sum(axis=1))
