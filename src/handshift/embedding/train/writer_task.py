"""Training a network so that writers it has never seen fall apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.train.augmentation import Augmentation
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.distributed import agreed, of_first_rank, share_gradients
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.embedding.train.held_out import Examination, as_numbers, network_vectors
from handshift.embedding.train.objective import make_objective
from handshift.embedding.train.pseudo_writers import KINDRED
from handshift.embedding.train.recipe import Recipe, training_config
from handshift.embedding.train.sampling import (
    BalancedSampler,
    Drawn,
    RootSampler,
    Sampler,
    Strata,
    WordSampler,
    by_writer_and_session,
)
from handshift.training.tensors import CheckpointError, load_tensors

Batch = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64], np.float32]


class WriterTask:
    """Words of known writers in, the recipe's loss out; examined on writers kept apart."""

    def __init__(
        self, words: WordCollection, train: Sequence[str], held_out: Sequence[str], recipe: Recipe
    ) -> None:
        self.words, self.recipe = words, recipe
        self._rank, self._world = rank_and_world()
        self.writers = [writer for writer in train if words.rows_of([writer]).size]
        strata = by_writer_and_session(words, self.writers)
        self._writers = len(strata)
        self._several = np.array([len(sessions) > 1 for sessions in strata])
        self._rows = np.concatenate([rows for sessions in strata for rows in sessions])
        self._sampler = _sampler(words, strata, recipe)
        strengths = {field.name: getattr(recipe, field.name) for field in fields(Augmentation)[1:]}
        self._augment = Augmentation(recipe.window or words.crops.shape[2], **strengths)
        torch.manual_seed(recipe.seed)
        network = make_backbone(
            recipe.backbone,
            recipe.dimensions,
            widths=recipe.widths,
            hidden=recipe.hidden,
            dropout=recipe.dropout,
            size=recipe.size,
            from_scratch=recipe.from_scratch,
            frozen=recipe.freeze,
        )
        # Channels last is twice as fast on a CPU.
        self.network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        hands = len(KINDRED) if recipe.kindred else 1
        self.objective = make_objective(recipe, self._writers * hands, recipe.dimensions)
        self._module = nn.ModuleDict({"network": self.network, "objective": self.objective})
        if self._world > 1:
            share_gradients(self._module, self.objective.shards)
        total = training_config(recipe).total_steps(self.steps_per_epoch)
        self._delay, self._warm = recipe.margin_delay * total, recipe.margin_warmup * total
        self.examination = Examination.of(words, held_out)

    @property
    def module(self) -> nn.Module:
        """Network and class centres."""
        return self._module

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which as many words are seen as there are."""
        return max(1, self._rows.size // (self.recipe.batch * self.recipe.accumulate * self._world))

    def batch(self, index: int) -> Batch:
        """Pictures (batch, 1, height, window), classes and groups (batch,), the margin's strength."""
        rng = np.random.default_rng([self.recipe.seed, index * self._world + self._rank])
        drawn = self._sampler.draw(rng)
        pictures = np.stack(
            [
                self._augment(self.words.crops[row], rng, kin)
                for row, kin in zip(drawn.rows, drawn.kin, strict=True)
            ]
        )
        classes = drawn.writers + drawn.kin * self._writers
        step = index // self.recipe.accumulate
        strength = np.float32(np.clip((step + 1 - self._delay) / max(self._warm, 1.0), 0.0, 1.0))
        return as_numbers(pictures), classes, self._groups(drawn), strength

    def _groups(self, drawn: Drawn) -> NDArray[np.int64]:
        """Sessions; every word its own group where there is but one, or where they are not to matter."""
        alone = -1 - np.arange(len(drawn.rows))
        apart = self._several[drawn.writers] & self.recipe.across_sessions
        return np.where(apart, self.words.session[drawn.rows], alone)

    def loss(
        self, batch: tuple[Tensor, Tensor, Tensor, Tensor]
    ) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """The objective on raw features."""
        pictures, classes, groups, strength = batch
        features = self.network.features(pictures.contiguous(memory_format=torch.channels_last))
        loss, values = self.objective(features, classes, groups, float(strength))
        return (agreed(loss) if self._world > 1 else loss), values

    def evaluate(self) -> Mapping[str, float]:
        """Verification of unseen writers on balanced pairs from different pages."""
        figures = self.examination.figures(network_vectors(self.network, self.examination.crops))
        return of_first_rank(figures) if self._world > 1 else figures

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """(rows, dimensions), unit rows."""
        return network_vectors(self.network, self.words.crops[rows])

    @property
    def rows(self) -> NDArray[np.int64]:
        """Of the words learnt from."""
        return self._rows

    def begin_with(self, path: Path) -> None:
        """Take the network's weights from a training, and its centres too if they are of the same classes."""
        given = load_tensors(path)
        own = self._module.state_dict()
        kept = {name: t for name, t in given.items() if name in own and own[name].shape == t.shape}
        lacking = [name for name in own if name.startswith("network.") and name not in kept]
        if lacking:
            raise CheckpointError(
                f"{path}: the weights of another network; {lacking[0]} is missing or of another shape"
            )
        self._module.load_state_dict(own | kept)


def _sampler(words: WordCollection, strata: Strata, recipe: Recipe) -> Sampler:
    chosen = recipe.sampling or ("root" if recipe.loss == "margin" else "balanced")
    if chosen == "balanced":
        return BalancedSampler(strata, recipe.batch, recipe.words_each, recipe.kindred)
    if chosen == "words":
        return WordSampler(strata, recipe.batch, recipe.kindred)
    # At most a window's two thirds: beyond, more ink adds little.
    lengths = np.minimum(ink_lengths(words.crops), 64).astype(np.float32) if recipe.prefer_long else None
    return RootSampler(strata, recipe.batch, recipe.kindred, lengths)
