"""The bags of a training: training batches, balanced and natural validation sets, test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handshift.bag.bag_folder import BagFolder
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
    """Bags of disjoint writers."""

    train: FreshBatches | FixedBatches | BatchesInTurn
    balanced: BagSet
    """Validation with balanced classes, for choosing the checkpoint."""
    natural: BagSet
    """Validation with natural classes, for choosing the threshold."""
    test: BagSet


def bags_for(
    recipe: DetectRecipe, table: WordVectors, split: WriterSplit, folder: BagFolder | None = None
) -> TrainingBags:
    """The bags of all parts: those of `folder`, or drawn from each part's writers.

    Raises:
        HandshiftError: the split lacks a part, or the pages cannot host the bags.
    """
    if folder is not None:
        return _fixed(recipe, *(folder.part(part) for part in ("train", "validation", "test")))
    for part in ("train", "validation", "test"):
        if part not in split.parts:
            raise HandshiftError(f"the split has no part {part!r}; see docs/data.md for the format")
    make = _source if recipe.protocol == "source" else _words
    return make(recipe, table, split)


def _words(recipe: DetectRecipe, table: WordVectors, split: WriterSplit) -> TrainingBags:
    amounts = range(1, max(2, recipe.words // 2 + 1))
    pages, known = pages_of(table, split.parts["train"]), pages_of(table, split.parts["validation"])
    drawer, validation = (Drawer(some, _plan(recipe, amounts)) for some in (pages, known))
    foreign = sorted({max(1, round(share * recipe.words)) for share in SHARES})
    test = Drawer(pages_of(table, split.parts["test"]), _plan(recipe, foreign))
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
    return TrainingBags(train, balanced, natural, test.draw(recipe.held_out * len(foreign), _rng(recipe, 4)))


def _in_turn(recipe: DetectRecipe, short: FreshBatches, pages: Sequence[PageRows]) -> BatchesInTurn:
    """Alternate short bags with bags twice and four times as long and with whole pages."""
    sizes = np.array([page.rows.size for page in pages])
    lengths = [times * recipe.words for times in (2, 4) if np.median(sizes) >= times * recipe.words]
    turns = []
    for words in (*lengths, None):
        usual = words or int(np.median(sizes))
        size = max(4, recipe.batch * recipe.words**2 // usual**2)  # as many word pairs as in a short batch
        drawer = Drawer(pages, _long_plan(recipe, words))
        turns += [short, FreshBatches(drawer, size, recipe.seed + 1)]
    return BatchesInTurn(turns)


def _source(recipe: DetectRecipe, table: WordVectors, split: WriterSplit) -> TrainingBags:
    train, validation, test = (
        source_bags(documents_of(table, split.parts[part], Key.SESSION), _rng(recipe, number))
        for number, part in enumerate(("train", "validation", "test"), 1)
    )
    return _fixed(recipe, train, validation, test)


def _fixed(recipe: DetectRecipe, train: BagSet, validation: BagSet, test: BagSet) -> TrainingBags:
    """Class-balanced batches of the train bags; validation balanced for F1, natural for the threshold."""
    batches = FixedBatches(train, recipe.batch, recipe.seed)
    return TrainingBags(batches, rebalanced(validation, 1.0, _rng(recipe, 4)), validation, test)


def _plan(recipe: DetectRecipe, amounts: Sequence[int]) -> Plan:
    return Plan(recipe.words, foreign=tuple(amounts), patterns=PATTERNS, kinds=_kinds(recipe))


def _long_plan(recipe: DetectRecipe, words: int | None) -> Plan:
    return Plan(words, shares=SHARES, patterns=PATTERNS, kinds=_kinds(recipe))


def _kinds(recipe: DetectRecipe) -> dict[Kind, float]:
    """Balanced classes; two thirds of the one-hand bags are spliced from two sessions, if asked for."""
    if recipe.spliced:
        return {Kind.SINGLE: 1.0, Kind.SPLICED: 2.0, Kind.MIXED: 3.0}
    return {Kind.SINGLE: 1.0, Kind.MIXED: 1.0}


def _rng(recipe: DetectRecipe, stream: int) -> np.random.Generator:
    return np.random.default_rng([recipe.seed, 7919, stream])
