"""A page's words as natural parameters of the Gaussian likelihood of their hand's mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hmm_settings import HmmSettings
from handshift.core.arrays import Floats, Vectors
from handshift.detect.plda import Plda

WordLabels = NDArray[np.int64]
"""(words,) a cluster number for every word."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """Words in reading order: ln p(word | hand of mean m) = linear·m − ½ count·m² + const."""

    linear: Floats
    """(words, dimensions)"""
    count: Floats
    """(words,) number of typical, independent words that each is worth."""

    def __len__(self) -> int:
        return len(self.count)


def words_of_page(vectors: Vectors, model: Plda, settings: HmmSettings) -> PageWords:
    """Project words and weight them by row length.

    A row l times as long as a typical one holds l times the hand's mean with noise of variance l,
    x = l·(mean + hand) + √l·noise, so its natural parameters are weight·(x − l·mean) and weight·l. Networks
    whose rows all have one length weight every word equally.

    Args:
        vectors: (words, raw dimensions) in reading order, not normalised.
        model: PLDA that projects them.
        settings: gives `weight` and the typical row length.

    Returns:
        The natural parameters in the projected dimensions.
    """
    rows = np.asarray(vectors, np.float64)
    length = np.linalg.norm(rows, axis=1) / settings.length if settings.length else np.ones(len(rows))
    projected = (rows - length[:, None] * model.mean) @ model.projection
    return PageWords(settings.weight * projected, settings.weight * length)
