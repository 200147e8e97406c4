"""Training on several databases at once, examined on held-out writers of each."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.train.augmentation import Augmentation
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.backbones.network import Network
from handshift.embedding.train.databases_examination import HeldOut, examined
from handshift.embedding.train.group_objective import GroupObjective
from handshift.embedding.train.heads.within import Within
from handshift.embedding.train.held_out import network_vectors, to_float
from handshift.embedding.train.margins import make_margin
from handshift.embedding.train.page_pen import PagePen
from handshift.embedding.train.page_sampling import Drawn, PageSampler, training_sheets
from handshift.embedding.train.page_scan import PageScan
from handshift.embedding.train.pseudo_writers import PSEUDO_WRITERS, draw_pseudo_writers
from handshift.embedding.train.recipe import Recipe, training_config

Batch = tuple[NDArray[np.float32], NDArray[np.int64], np.float32]


@dataclass(frozen=True)
class Part:
    """One database in a training."""

    words: WordCollection
    train: tuple[str, ...]
    validation: tuple[str, ...]
    weight: float
    """How often its writers are drawn; 0 where it is validated on alone."""


class DatabasesTask:
    """Words of the writers of several databases in, the recipe's loss out."""

    steps_per_epoch = 1000
    """A round number: databases are drawn by weight, so that there is no pass over all words."""

    def __init__(self, parts: Mapping[str, Part], recipe: Recipe) -> None:
        self.recipe = recipe
        used = [part for part in parts.values() if part.weight > 0]
        sheets = [training_sheets(part.words, part.train, recipe.words_each) for part in used]
        self.writers = [writer for own in sheets for writer in own]
        self._crops = [part.words.crops for part in used]
        self._sampler = PageSampler(
            [list(own.values()) for own in sheets],
            [part.weight for part in used],
            recipe.batch,
            recipe.words_each,
            [ink_lengths(part.words.crops) for part in used],
        )
        self._augment = Augmentation(
            recipe.window or parts[next(iter(parts))].words.crops.shape[2],
            placing=recipe.placing,
            elastic=recipe.elastic,
            stroke=recipe.stroke,
            stroke_depth=recipe.stroke_depth,
            ink=recipe.ink,
            background=recipe.background,
            blur=recipe.blur,
            erasing=recipe.erasing,
        )
        database = [number for number, own in enumerate(sheets) for _ in own]
        if recipe.kindred:
            database *= len(PSEUDO_WRITERS)
        self.network, self._average, self.objective = _modules(recipe, database)
        modules = {"network": self.network, "objective": self.objective, "average": self._average}
        self._module = nn.ModuleDict({name: module for name, module in modules.items() if module is not None})
        total = training_config(recipe).total_steps(self.steps_per_epoch)
        self._delay, self._warm = recipe.margin_delay * total, recipe.margin_warmup * total
        self.held_out = {name: HeldOut.of(part.words, part.validation) for name, part in parts.items()}

    @property
    def module(self) -> nn.Module:
        """Network, its moving average, and class centres."""
        return self._module

    @property
    def kept(self) -> Network:
        """The network that is examined and exported: the average where there is one."""
        return self._average or self.network

    def batch(self, index: int) -> Batch:
        """Pictures (batch, 1, height, window), classes (batch,), the margin's strength."""
        rng = np.random.default_rng([self.recipe.seed, index])
        drawn = self._sampler.draw(rng)
        pseudo = self._pseudo_writers(drawn, rng)
        pages = range(int(drawn.page[-1]) + 1)
        pens = [PagePen.drawn(rng, self.recipe.pen) for _ in pages]
        scans = [PageScan.drawn(rng, self.recipe.coarser, self.recipe.scale_error) for _ in pages]
        pictures = np.stack(
            [
                scans[page](pens[page](self._augment(self._crops[database][row], rng, int(kind))))
                for database, row, page, kind in zip(
                    drawn.database, drawn.row, drawn.page, pseudo, strict=True
                )
            ]
        )
        step = index // self.recipe.accumulate
        strength = np.float32(np.clip((step + 1 - self._delay) / max(self._warm, 1.0), 0.0, 1.0))
        return to_float(pictures), drawn.writer + pseudo * len(self.writers), strength

    def _pseudo_writers(self, drawn: Drawn, rng: np.random.Generator) -> NDArray[np.int64]:
        """(words,) the pseudo-writer of each word: one for both pages of a writer; 0 keeps the writer."""
        if not self.recipe.kindred:
            return np.zeros(len(drawn.writer), np.int64)
        pairs = drawn.page // PageSampler.pages_each
        return draw_pseudo_writers(rng, int(pairs[-1]) + 1, self.recipe.kindred)[pairs]

    def loss(self, batch: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """The objective on raw features; the average follows the weights that the last step left."""
        if self._average is not None:
            _follow(self._average, self.network, self._decay())
        pictures, classes, strength = batch
        features = self.network.features(pictures.contiguous(memory_format=torch.channels_last))
        loss, values = self.objective(features, classes, float(strength))
        return loss, values

    def _decay(self) -> float:
        """min(d, (1 + n)/(10 + n)) after n batches: else the random first ones stay for long."""
        seen = int(self.objective.batches)
        return min(self.recipe.average, (1 + seen) / (10 + seen))

    def evaluate(self) -> Mapping[str, float]:
        """Mean over databases of the AUC of word pairs from different pages, and the figures of each."""
        return examined(self.held_out, lambda crops: network_vectors(self.kept, crops))


def _modules(recipe: Recipe, database: list[int]) -> tuple[Network, Network | None, GroupObjective]:
    torch.manual_seed(recipe.seed)
    network = make_backbone(recipe.backbone, recipe.dimensions, widths=recipe.widths, dropout=recipe.dropout)
    # Channels last is twice as fast on a CPU.
    network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    given = {"margin": recipe.margin_size, "scale": recipe.scale}
    sizes = {name: size for name, size in given.items() if size is not None}
    margin = make_margin(recipe.margin, len(database), **sizes)
    head = Within(database, recipe.dimensions, margin, centres=recipe.centres or 1)
    objective = GroupObjective(head, recipe.groups, recipe.group_weight, recipe.triplets)
    return network, copy.deepcopy(network).requires_grad_(False) if recipe.average else None, objective


@torch.no_grad()
def _follow(average: nn.Module, network: nn.Module, decay: float) -> None:
    """a ← d·a + (1 − d)·w for weights and running statistics; counters are copied."""
    for own, given in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        if own.is_floating_point():
            own.lerp_(given, 1 - decay)
        else:
            own.copy_(given)
