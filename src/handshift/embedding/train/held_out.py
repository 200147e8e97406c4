"""Word pictures through a network of torch, each at the narrowest canvas that holds it.

Writers kept apart from training, and how well any vectors tell their words apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import by_width
from handshift.embedding.train.backbones.network import Network
from handshift.embedding.verification import Pairs, balanced_pairs, similarities, verification_figures

_BATCH = 256


@torch.no_grad()
def network_vectors(network: Network, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(words, height, width) → (words, dimensions), unit rows."""
    network.eval()
    device = next(network.parameters()).device
    vectors = np.empty((len(crops), network.dimensions), np.float32)
    for rows, alike in by_width(crops):
        for start in range(0, rows.size, _BATCH):
            pictures = torch.from_numpy(as_numbers(alike[start : start + _BATCH])).to(device)
            pictures = pictures.contiguous(memory_format=torch.channels_last)
            vectors[rows[start : start + _BATCH]] = network(pictures).cpu().numpy()
    return vectors


def as_numbers(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(batch, height, width) → (batch, 1, height, width) in 0…1."""
    return (pictures[:, None] / np.float32(255)).astype(np.float32)


_PAIRS = 4000


@dataclass(frozen=True)
class Examination:
    """Balanced pairs of different pages, the same for every network that is examined."""

    words: WordCollection
    pairs: Pairs

    @classmethod
    def of(cls, words: WordCollection, writers: Sequence[str]) -> Examination:
        """Pairs of these writers' words."""
        try:
            return cls(words, balanced_pairs(words, writers, count=_PAIRS, seed=1))
        except ValueError as error:
            raise HandshiftError(f"the split's validation writers do not suffice: {error}") from error

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Sorted rows of the words asked about."""
        return np.unique(self.pairs.rows)

    @property
    def crops(self) -> NDArray[np.uint8]:
        """Their pictures."""
        return self.words.crops[self.rows]

    def figures(self, vectors: NDArray[np.float32]) -> dict[str, float]:
        """AUC and EER of the vectors of `crops`, unit rows."""
        at = np.searchsorted(self.rows, self.pairs.rows)  # (pairs, 2)
        return verification_figures(similarities(vectors, at), self.pairs.same)
