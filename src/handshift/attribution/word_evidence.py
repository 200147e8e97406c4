"""A page's words as the search for hands takes them: what each says of its hand, and how much that counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.attribution.hmm_settings import HmmSettings
from handshift.core.arrays import Floats, Vectors
from handshift.detect.plda import Plda


@dataclass(frozen=True, slots=True)
class PageWords:
    """Words in reading order: ln p(word | hand of mean m) = pull·m − ½ count·m² + what no hand changes."""

    pull: Floats
    """(words, dimensions)"""
    count: Floats
    """(words,) how many usual, independent words each is worth."""

    def __len__(self) -> int:
        return len(self.count)


def words_of_page(vectors: Vectors, model: Plda, settings: HmmSettings) -> PageWords:
    """Weigh words (words, raw dimensions) by their rows' lengths, which say how much there is in a word.

    A word whose row is l times as long as a typical one shows l times as much of its hand, in noise of
    variance l: x = l·(mean + hand) + √l·noise. So it pulls by weight·(x − l·mean) and counts weight·l words.
    Where rows are all of one length, as of most networks, every word counts alike.
    """
    rows = np.asarray(vectors, np.float64)
    length = np.linalg.norm(rows, axis=1) / settings.length if settings.length else np.ones(len(rows))
    seen = (rows - length[:, None] * model.mean) @ model.projection
    return PageWords(settings.weight * seen, settings.weight * length)
