"""How the size of writing varies: a two-covariance model of one dimension, ln of the size in millimetres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.plda import fit_plda, log_ratio_of_means


@dataclass(frozen=True, slots=True)
class SizeModel:
    """x = mean + writer + page + word, all normal, but for outliers.

    A share `outliers` of pairs is taken to say nothing of their writers: a form leaves less room than a
    letter, and a file may state a resolution that it does not have. So no difference of size, however large,
    counts for more than `outliers` against one writer.
    """

    mean: float
    """ln mm."""
    writer: float
    """Variance between writers, of ln mm, as all below."""
    page: float
    """Between pages of one writer; of one who wrote on several days, between days. Widened by calibration."""
    word: float
    """Between words of one page."""
    outliers: float = 0.1
    """Chosen on pages of known writers."""

    @classmethod
    def fit(
        cls,
        sizes: NDArray[np.floating],
        writer: NDArray[np.str_],
        session: NDArray[np.int64],
        page: NDArray[np.str_],
        population: NDArray[np.str_] | None = None,
    ) -> SizeModel:
        """Estimate the variances by moments, as `fit_plda` does.

        Args:
            sizes: (words,) ln mm, all known.
            writer: (words,).
            session: (words,); pages take its place for writers with a single one.
            page: (words,).
            population: (words,) name of the population that a writer is of; all of one if None.
        """
        single = {name for name in np.unique(writer) if np.unique(session[writer == name]).size == 1}
        pages = np.unique(page, return_inverse=True)[1]
        day = np.where(np.isin(writer, list(single)), pages, session)
        found = fit_plda(sizes[:, None].astype(np.float64), writer, day, 1, 0.0, population)
        word = float(1 / found.projection[0, 0] ** 2)
        return cls(float(found.mean[0]), float(found.writer[0] * word), float(found.session[0] * word), word)

    def log_ratios(self, means: tuple[Floats, Floats], noise: tuple[Floats, Floats]) -> Floats:
        """Natural log of the ratio of one writer against two.

        ln LR = ln((1 − ε)·N₁/N₂ + ε), N₁ and N₂ the densities of both means under one writer and
        two, ε = `outliers`.

        Args:
            means: (1 or pairs,) mean ln mm of either side; NaN where unknown.
            noise: (1 or pairs,) variance of either mean about its writer's.

        Returns:
            (pairs,), 0 where a side's size is not known: the dimension is marginalised.
        """
        centred = [np.asarray(side - self.mean)[:, None] for side in means]
        variances = [self.writer + np.asarray(side)[:, None] for side in noise]
        ratio = log_ratio_of_means(
            (centred[0], centred[1]), (variances[0], variances[1]), np.array([self.writer])
        )
        known = np.isfinite(ratio)
        tempered = np.logaddexp(np.log1p(-self.outliers) + np.where(known, ratio, 0.0), np.log(self.outliers))
        return np.asarray(np.where(known, tempered, 0.0))
