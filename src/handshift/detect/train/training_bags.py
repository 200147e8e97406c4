"""The bags of a training: for the steps, for choosing weights, for choosing a threshold, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handshift.bag.bagset import BagSet, joined
from handshift.bag.batches import BatchesInTurn, FixedBatches, FreshBatches
from handshift.bag.draw import Drawer
from handshift.bag.pages import Key, PageRows, documents_of, pages_of
from handshift.bag.patterns import Block, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.bag.rebalance import rebalanced
from handshift.bag.source_protocol import source_bags
from handshift.core.errors import HandshiftError
from handshift.corpus.split import WriterSplit
from handshift.detect.train.recipe import DetectRecipe
from handshift.embedding.word_vectors import WordVectors

SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Of 14 words: 1, 1, 2, 3, 4 and 7."""
PATTERNS = (Block(), Scattered())


@dataclass(frozen=True, slots=True)
class TrainingBags:
    """Bags of disjoint writers: train, validation, test."""

    train: FreshBatches | FixedBatches | BatchesInTurn
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
    pages, known = pages_of(table, split.parts["train"]), pages_of(table, split.parts["validation"])
    drawer, validation = (Drawer(some, _plan(recipe, amounts)) for some in (pages, known))
    told = sorted({max(1, round(share * recipe.words)) for share in SHARES})
    test = Drawer(pages_of(table, split.parts["test"]), _plan(recipe, told))
    fresh = FreshBatches(drawer, recipe.batch, recipe.seed)
    train: FreshBatches | FixedBatches | BatchesInTurn = fresh
    chosen = [validation.draw(recipe.held_out, _rng(recipe, stream)) for stream in (2, 3)]
    if recipe.fixed:
        train = FixedBatches(drawer.draw(recipe.fixed, _rng(recipe, 1)), recipe.batch, recipe.seed)
    elif recipe.longer:
        train = _in_turn(recipe, fresh, pages)
        few = max(1, recipe.held_out // 4)
        long = Drawer(known, _long_plan(recipe, None))
        chosen = [joined([own, long.draw(few, _rng(recipe, 5 + at))]) for at, own in enumerate(chosen)]
    balanced, natural = chosen
    return TrainingBags(train, balanced, natural, test.draw(recipe.held_out * len(told), _rng(recipe, 4)))


def _in_turn(recipe: DetectRecipe, short: FreshBatches, pages: Sequence[PageRows]) -> BatchesInTurn:
    """Short bags in every second step; between them bags twice and four times as long, and whole pages."""
    sizes = np.array([page.rows.size for page in pages])
    lengths = [times * recipe.words for times in (2, 4) if np.median(sizes) >= times * recipe.words]
    turns = []
    for words in (*lengths, None):
        usual = words or int(np.median(sizes))
        size = max(4, recipe.batch * recipe.words**2 // usual**2)  # as many pairs of words as a short batch
        drawer = Drawer(pages, _long_plan(recipe, words))
        turns += [short, FreshBatches(drawer, size, recipe.seed + 1)]
    return BatchesInTurn(turns)


def _source(recipe: DetectRecipe, table: WordVectors, split: WriterSplit) -> TrainingBags:
    train, validation, test = (
        source_bags(documents_of(table, split.parts[part], Key.SESSION), _rng(recipe, number))
        for number, part in enumerate(("train", "validation", "test"), 1)
    )
    batches = FixedBatches(train, recipe.batch, recipe.seed)
    return TrainingBags(batches, rebalanced(validation, 1.0, _rng(recipe, 4)), validation, test)


def _plan(recipe: DetectRecipe, amounts: Sequence[int]) -> Plan:
    return Plan(recipe.words, foreign=tuple(amounts), patterns=PATTERNS, kinds=_kinds(recipe))


def _long_plan(recipe: DetectRecipe, words: int | None) -> Plan:
    return Plan(words, shares=SHARES, patterns=PATTERNS, kinds=_kinds(recipe))


def _kinds(recipe: DetectRecipe) -> dict[Kind, float]:
    """As many bags of one hand as of two; two in three of the former spliced, where sessions are known."""
    if recipe.spliced:
        return {Kind.SINGLE: 1.0, Kind.SPLICED: 2.0, Kind.MIXED: 3.0}
    return {Kind.SINGLE: 1.0, Kind.MIXED: 1.0}


def _rng(recipe: DetectRecipe, stream: int) -> np.random.Generator:
    return np.random.default_rng([recipe.seed, 7919, stream])
