"""The bags of a training: for the steps, for choosing weights, for choosing a threshold, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handshift.bag.bagset import BagSet
from handshift.bag.balance import rebalanced
from handshift.bag.batches import FixedBatches, FreshBatches
from handshift.bag.drawing import Drawer
from handshift.bag.keys import Key, documents_of
from handshift.bag.kinds import Kind
from handshift.bag.pages import pages_of
from handshift.bag.patterns import Block, Scattered
from handshift.bag.plan import Plan
from handshift.bag.source import source_bags
from handshift.corpus.split import WriterSplit
from handshift.detect.learning.recipe import DetectRecipe
from handshift.detect.vectors import WordVectors
from handshift.error import HandshiftError

SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Of 14 words: 1, 1, 2, 3, 4 and 7."""


@dataclass(frozen=True, slots=True)
class TrainingBags:
    """Bags of disjoint writers: train, validation, test."""

    train: FreshBatches | FixedBatches
    balanced: BagSet
    """Validation, both classes alike: which weights are best."""
    natural: BagSet
    """Validation, as bags come: where the threshold goes."""
    test: BagSet


def bags_for(recipe: DetectRecipe, table: WordVectors, split: WriterSplit) -> TrainingBags:
    """Draw them, each part from its own writers and its own stream of chance."""
    for part in ("train", "validation", "test"):
        if part not in split.parts:
            raise HandshiftError(f"the split has no part {part!r}; docs/data.md tells the format")
    make = _source if recipe.protocol == "source" else _words
    return make(recipe, table, split)


def _words(recipe: DetectRecipe, table: WordVectors, split: WriterSplit) -> TrainingBags:
    amounts = range(1, max(2, recipe.words // 2 + 1))
    drawer = Drawer(pages_of(table, split.parts["train"]), _plan(recipe, amounts))
    train: FreshBatches | FixedBatches = FreshBatches(drawer, recipe.batch, recipe.seed)
    if recipe.fixed:
        train = FixedBatches(drawer.draw(recipe.fixed, _rng(recipe, 1)), recipe.batch, recipe.seed)
    validation = Drawer(pages_of(table, split.parts["validation"]), _plan(recipe, amounts))
    told = sorted({max(1, round(share * recipe.words)) for share in SHARES})
    test = Drawer(pages_of(table, split.parts["test"]), _plan(recipe, told))
    return TrainingBags(
        train,
        validation.draw(recipe.held_out, _rng(recipe, 2)),
        validation.draw(recipe.held_out, _rng(recipe, 3)),
        test.draw(recipe.held_out * len(told), _rng(recipe, 4)),
    )


def _source(recipe: DetectRecipe, table: WordVectors, split: WriterSplit) -> TrainingBags:
    train, validation, test = (
        source_bags(documents_of(table, split.parts[part], Key.SESSION), _rng(recipe, number))
        for number, part in enumerate(("train", "validation", "test"), 1)
    )
    batches = FixedBatches(train, recipe.batch, recipe.seed)
    return TrainingBags(batches, rebalanced(validation, 1.0, _rng(recipe, 4)), validation, test)


def _plan(recipe: DetectRecipe, amounts: Sequence[int]) -> Plan:
    """As many bags of one hand as of two; half of the former spliced, where sessions are known."""
    kinds = {Kind.SINGLE: 2.0, Kind.MIXED: 2.0}
    if recipe.spliced:
        kinds = {Kind.SINGLE: 1.0, Kind.SPLICED: 1.0, Kind.MIXED: 2.0}
    return Plan(recipe.words, foreign=tuple(amounts), patterns=(Block(), Scattered()), kinds=kinds)


def _rng(recipe: DetectRecipe, stream: int) -> np.random.Generator:
    return np.random.default_rng([recipe.seed, 7919, stream])
