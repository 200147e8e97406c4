"""Training the word network so that writers it has never seen fall apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from handshift.embed.augment import KINDRED, augmented
from handshift.embed.collection import WordCollection
from handshift.embed.crop import CANVASES, by_width
from handshift.embed.margins.arcface import ArcFace
from handshift.embed.backbones.small_resnet import WordNet
from handshift.embed.verification import balanced_pairs, verification_figures


class WriterTask:
    """Words of known writers in, a margin loss out; examined on writers kept apart."""

    def __init__(
        self,
        words: WordCollection,
        train: Sequence[str],
        held_out: Sequence[str],
        *,
        seed: int,
        batch_size: int = 128,
        margin: float = 0.2,
        scale: float = 30.0,
        kindred: float = 0.5,
        widths: Sequence[int] = (24, 48, 96, 192),
        dimensions: int = 128,
    ) -> None:
        torch.manual_seed(seed)
        self.words, self.seed, self.batch_size, self.dimensions = words, seed, batch_size, dimensions
        self._strata = _by_writer_and_session(words, train)
        self._writer_weight = np.array([len(np.concatenate(s)) ** 0.5 for s in self._strata])
        self._writer_weight /= self._writer_weight.sum()
        # Channels last is twice as fast on a CPU.
        self.network = WordNet(widths, dimensions).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._kindred = kindred
        self.margin = ArcFace(len(self._strata) * len(KINDRED), dimensions, scale, margin)
        self._module = nn.ModuleDict({"network": self.network, "margin": self.margin})
        self.pairs = balanced_pairs(words, held_out, count=4000, seed=1)

    @property
    def module(self) -> nn.Module:
        """Network and class centres."""
        return self._module

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which as many words are seen as there are."""
        return sum(len(np.concatenate(s)) for s in self._strata) // self.batch_size

    def batch(self, index: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Writers by the root of their word count, then sessions alike, then any word.

        Sessions alike, because a writer's busiest day would otherwise stand for the writer.
        """
        rng = np.random.default_rng([self.seed, index])
        labels = rng.choice(len(self._strata), self.batch_size, p=self._writer_weight)
        rows = []
        for label in labels:
            sessions = self._strata[label]
            rows.append(rng.choice(sessions[rng.integers(len(sessions))]))
        kin = np.where(
            rng.random(self.batch_size) < self._kindred, rng.integers(1, len(KINDRED), self.batch_size), 0
        )
        pictures = np.stack(
            [augmented(self.words.crops[row], CANVASES[0], rng, k) for row, k in zip(rows, kin, strict=True)]
        )
        classes = labels + kin * len(self._strata)
        return (pictures[:, None] / np.float32(255)).astype(np.float32), classes

    def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Cross-entropy with the margin, and how many words go to the right writer."""
        pictures, labels = batch
        vectors = self.network(pictures.contiguous(memory_format=torch.channels_last))
        loss = self.margin.loss(vectors, labels)
        with torch.no_grad():
            nearest = (vectors @ nn.functional.normalize(self.margin.centres, dim=1).T).argmax(dim=1)
        return loss, {"accuracy": (nearest == labels).float().mean()}

    def evaluate(self) -> Mapping[str, float]:
        """Verification of unseen writers on balanced pairs from different pages."""
        rows = np.unique(self.pairs.rows)
        vectors = self.vectors(rows)
        at = np.searchsorted(rows, self.pairs.rows)  # (pairs, 2)
        scores = np.einsum("pd,pd->p", vectors[at[:, 0]], vectors[at[:, 1]])
        return verification_figures(scores, self.pairs.same)

    @torch.no_grad()
    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """(rows, dimensions), unit rows."""
        self.network.eval()
        vectors = np.empty((rows.size, self.dimensions), np.float32)
        for alike, crops in by_width(self.words.crops[rows]):
            for start in range(0, alike.size, 256):
                pictures = torch.from_numpy(crops[start : start + 256]).float()[:, None] / 255
                pictures = pictures.contiguous(memory_format=torch.channels_last)
                vectors[alike[start : start + 256]] = self.network(pictures).numpy()
        return vectors


def _by_writer_and_session(words: WordCollection, writers: Sequence[str]) -> list[list[NDArray[np.int64]]]:
    """For each writer, for each session, the rows of its words."""
    strata = []
    for writer in writers:
        rows = words.rows_of([writer])
        if rows.size:
            strata.append([rows[words.session[rows] == s] for s in np.unique(words.session[rows])])
    return strata
