"""Likelihood ratios of documents put together of known writers' words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from handshift.bag.bagset import BagSet
from handshift.bag.drawing import Drawer
from handshift.bag.kinds import Kind
from handshift.bag.pages import PageRows
from handshift.bag.plan import Plan
from handshift.detect.covariance import Vectors
from handshift.error import HandshiftError
from handshift.evidence.context import Context
from handshift.evidence.lr import Labelled
from handshift.evidence.lr.performance import Performance, performance

Score = Callable[[Vectors], float]
"""The document score of words in reading order."""
LONG = 40
"""Words of a page that is more than a phrase."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What documents are put together."""

    name: str
    words: int | None
    """Consecutive words; None takes whole pages."""
    shares: tuple[float, ...]
    """Of words by another person, in one block, each as often."""
    fewest: int = 8
    """Words that a page must have."""


SETTINGS = (
    Setting("whole page, 10 %", None, (0.1,)),
    Setting("whole page, 20 %", None, (0.2,)),
    Setting("whole page, 30 %", None, (0.3,)),
    Setting("whole page, 10 to 50 %", None, (0.1, 0.2, 0.3, 0.5)),
    Setting(f"page of {LONG} words or more, 20 %", None, (0.2,), LONG),
    Setting("14 words, 30 %", 14, (0.3,)),
    Setting("14 words, 50 %", 14, (0.5,)),
    Setting("14 words, 20 to 50 %", 14, (0.2, 0.3, 0.5)),
)
"""The first proposition speaks of several shares at once: of one alone the ratios need not be calibrated."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One setting: ratios against pages of one session, against spliced ones, and against both in halves."""

    setting: Setting
    single: Performance
    spliced: Performance | None
    """None where no writer has a text from two sessions."""
    both: Performance
    known: Labelled
    """log10 LRs of all documents."""


def measured_ratios(
    pages: Sequence[PageRows], vectors: Vectors, score: Score, context: Context, each: int, seed: int
) -> Iterator[Measured]:
    """Every setting that the pages allow, `each` documents of every kind."""
    for number, setting in enumerate(SETTINGS):
        rng = np.random.default_rng([seed, number])
        own = [page for page in pages if page.rows.size >= max(setting.fewest, setting.words or 0)]
        weights: dict[Kind, Labelled] = {}
        for kind in (Kind.MIXED, Kind.SINGLE, Kind.SPLICED):
            try:
                plan = Plan(setting.words, shares=setting.shares, kinds={kind: 1})
                weights[kind] = _weighed(Drawer(own, plan).draw(each, rng), vectors, score, context)
            except HandshiftError:
                continue
        if Kind.MIXED in weights and Kind.SINGLE in weights:
            yield _measured(setting, weights, seed)


def _measured(setting: Setting, weights: dict[Kind, Labelled], seed: int) -> Measured:
    mixed, single, spliced = (weights.get(kind) for kind in (Kind.MIXED, Kind.SINGLE, Kind.SPLICED))
    assert mixed is not None and single is not None
    both = mixed.joined(single) if spliced is None else mixed.joined(single).joined(spliced)
    return Measured(
        setting,
        performance(mixed.joined(single), seed),
        None if spliced is None else performance(mixed.joined(spliced), seed),
        performance(both, seed),
        both,
    )


def _weighed(bags: BagSet, vectors: Vectors, score: Score, context: Context) -> Labelled:
    scores = np.array([score(vectors[bag.rows]) for bag in bags])
    words = np.array([bag.rows.size for bag in bags])
    return Labelled(
        context.log10_lr(scores, words), np.asarray(bags.label, bool), np.asarray(bags.writer, np.str_)
    )
