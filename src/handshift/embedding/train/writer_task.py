"""Trains a network to separate writers not seen in training."""

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
from handshift.embedding.train.distributed import (
    average_gradients,
    broadcast_from_rank_0,
    nan_unless_all_finite,
)
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.embedding.train.held_out import HeldOutPairs, network_vectors, to_float
from handshift.embedding.train.objective import make_objective
from handshift.embedding.train.pseudo_writers import PSEUDO_WRITERS
from handshift.embedding.train.recipe import Recipe, training_config
from handshift.embedding.train.sampling import (
    BalancedSampler,
    BatchRows,
    RootSampler,
    Sampler,
    Strata,
    WordSampler,
    by_writer_and_session,
)
from handshift.embedding.train.synchronised_norm import synchronise_norms
from handshift.training.tensors import CheckpointError, load_tensors

Batch = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64], np.float32]


class WriterTask:
    """The training task of `handshift.training.fit`: batches, loss, and evaluation on held-out writers.

    Args:
        words: Crops of all writers.
        train: Writers to train on, one class each.
        held_out: Writers to evaluate on.
        recipe: Network, loss, sampling and augmentation.

    Raises:
        HandshiftError: Too few writers have words, or the recipe cannot be built.
    """

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
        copies = len(PSEUDO_WRITERS) if recipe.kindred else 1
        self.objective = make_objective(recipe, self._writers * copies, recipe.dimensions)
        self._module = nn.ModuleDict({"network": self.network, "objective": self.objective})
        if self._world > 1:
            synchronise_norms(self.network)
            average_gradients(self._module, self.objective.shards)
        total = training_config(recipe).total_steps(self.steps_per_epoch)
        self._delay, self._warm = recipe.margin_delay * total, recipe.margin_warmup * total
        self.held_out_pairs = HeldOutPairs.of(words, held_out)

    @property
    def module(self) -> nn.Module:
        """Network and class centres."""
        return self._module

    @property
    def steps_per_epoch(self) -> int:
        """Steps that draw as many words as there are."""
        return max(1, self._rows.size // (self.recipe.batch * self.recipe.accumulate * self._world))

    def batch(self, index: int) -> Batch:
        """Draw pictures (batch, 1, height, window), classes and groups (batch,), the margin's strength."""
        rng = np.random.default_rng([self.recipe.seed, index * self._world + self._rank])
        drawn = self._sampler.draw(rng)
        pictures = np.stack(
            [
                self._augment(self.words.crops[row], rng, pseudo_writer)
                for row, pseudo_writer in zip(drawn.rows, drawn.pseudo_writer, strict=True)
            ]
        )
        classes = drawn.writers + drawn.pseudo_writer * self._writers
        step = index // self.recipe.accumulate
        strength = np.float32(np.clip((step + 1 - self._delay) / max(self._warm, 1.0), 0.0, 1.0))
        return to_float(pictures), classes, self._groups(drawn), strength

    def _groups(self, drawn: BatchRows) -> NDArray[np.int64]:
        """Sessions as groups; every word is its own group where the writer has one session."""
        alone = -1 - np.arange(len(drawn.rows)) - self._rank * len(drawn.rows)
        apart = self._several[drawn.writers] & self.recipe.across_sessions
        return np.where(apart, self.words.session[drawn.rows], alone)

    def loss(
        self, batch: tuple[Tensor, Tensor, Tensor, Tensor]
    ) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Compute the objective on raw features."""
        pictures, classes, groups, strength = batch
        features = self.network.features(pictures.contiguous(memory_format=torch.channels_last))
        loss, values = self.objective(features, classes, groups, float(strength))
        return (nan_unless_all_finite(loss) if self._world > 1 else loss), values

    def evaluate(self) -> Mapping[str, float]:
        """Compute verification AUC and EER of the held-out writers on balanced pairs of different pages."""
        figures = self.held_out_pairs.figures(network_vectors(self.network, self.held_out_pairs.crops))
        return broadcast_from_rank_0(figures) if self._world > 1 else figures

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Embed rows of the collection; (rows, dimensions), unit rows."""
        return network_vectors(self.network, self.words.crops[rows])

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the training words."""
        return self._rows

    def load_start_weights(self, path: Path) -> None:
        """Load the network's weights from a checkpoint, and its centres if they have the same shape.

        Raises:
            CheckpointError: The weights are of another network.
        """
        loaded = load_tensors(path)
        own = self._module.state_dict()
        kept = {name: t for name, t in loaded.items() if name in own and own[name].shape == t.shape}
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
    # Clipped at two thirds of a window: more ink adds little.
    lengths = np.minimum(ink_lengths(words.crops), 64).astype(np.float32) if recipe.prefer_long else None
    return RootSampler(strata, recipe.batch, recipe.kindred, lengths)
