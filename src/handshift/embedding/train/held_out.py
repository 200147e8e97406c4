"""Validation on held-out writers: verification AUC and EER of any vectors on fixed balanced pairs."""

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
    """Embed crops by a torch network, each at the narrowest canvas that holds the word.

    Args:
        network: Put into evaluation mode; used on the device it is on.
        crops: (words, height, width).

    Returns:
        (words, dimensions), unit rows.
    """
    network.eval()
    device = next(network.parameters()).device
    vectors = np.empty((len(crops), network.dimensions), np.float32)
    for rows, group in by_width(crops):
        for start in range(0, rows.size, _BATCH):
            pictures = torch.from_numpy(to_float(group[start : start + _BATCH])).to(device)
            pictures = pictures.contiguous(memory_format=torch.channels_last)
            vectors[rows[start : start + _BATCH]] = network(pictures).cpu().numpy()
    return vectors


def to_float(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Convert (batch, height, width) of 0…255 to (batch, 1, height, width) in 0…1."""
    return (pictures[:, None] / np.float32(255)).astype(np.float32)


_PAIRS = 4000


@dataclass(frozen=True)
class HeldOutPairs:
    """Balanced pairs of different pages, the same for every network that is evaluated."""

    words: WordCollection
    pairs: Pairs

    @classmethod
    def of(cls, words: WordCollection, writers: Sequence[str]) -> HeldOutPairs:
        """Draw pairs of these writers' words.

        Raises:
            HandshiftError: Fewer than two writers have words, or none has two pages.
        """
        try:
            return cls(words, balanced_pairs(words, writers, count=_PAIRS, seed=1))
        except ValueError as error:
            raise HandshiftError(f"the split's validation part cannot be evaluated: {error}") from error

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Sorted rows of the words in the pairs."""
        return np.unique(self.pairs.rows)

    @property
    def crops(self) -> NDArray[np.uint8]:
        """Pictures of `rows`."""
        return self.words.crops[self.rows]

    def figures(self, vectors: NDArray[np.float32]) -> dict[str, float]:
        """Compute AUC and EER of the vectors of `crops`, (rows, dimensions)."""
        at = np.searchsorted(self.rows, self.pairs.rows)  # (pairs, 2)
        return verification_figures(similarities(vectors, at), self.pairs.same)
