"""Detection of mixed bags and pages of held-out writers, by the amount of foreign words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydantic import Field

from handshift.bag.bagset import BagSet
from handshift.bag.draw import Drawer
from handshift.bag.pages import PageRows
from handshift.bag.patterns import Block, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.detect.score_bags import score_bags
from handshift.study.task import Outcome, StudyTask
from handshift.study.tasks.bag_comparisons import Comparisons
from handshift.study.tasks.detectors import DetectorConfig, detector_of, evaluated_pages, table_of

METRICS = ("auroc", "tpr_at_5", "tpr_at_1")
AGAINST = (Kind.SINGLE, Kind.SPLICED)


class DocumentConfig(DetectorConfig):
    """Which bags a detector is evaluated on."""

    words: int | None = Field(default=14, description="words of a bag; none takes whole pages")
    fewest: int = Field(default=8, ge=2, description="words of the shortest page that is taken")
    foreign: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    scattered: bool = Field(default=False, description="foreign words at random places, not in one block")
    bags: int = Field(default=250, ge=20, description="of each kind and amount")


def run(config: DocumentConfig, seed: int, folder: Path) -> Outcome:
    """Mixed bags against those of one session, and against those spliced from two in the same pattern."""
    detector = detector_of(config, seed)
    vectors = table_of(config.folder).vectors
    found = Comparisons()
    for group, bags in comparisons(config, evaluated_pages(config, config.fewest), seed):
        found.add(group, bags.label, score_bags(detector, vectors, bags).score, bags.writer)
    return found.outcome(METRICS)


def comparisons(config: DocumentConfig, pages: list[PageRows], seed: int) -> Iterator[tuple[str, BagSet]]:
    """Yield bags of both classes, by amount of foreign words and by the kind of negatives."""
    pattern = Scattered() if config.scattered else Block()
    for amount in config.foreign or config.shares:
        for kind in AGAINST:
            plan = Plan(
                config.words,
                foreign=(int(amount),) if config.foreign else (),
                shares=() if config.foreign else (amount,),
                patterns=(pattern,),
                kinds={Kind.MIXED: 1, kind: 1},
            )
            rng = np.random.default_rng([seed, round(1000 * amount), 2026])
            name = f"{amount}" if config.foreign else f"{amount:.0%}"
            yield f"{name} / {kind.word}", Drawer(pages, plan).draw(2 * config.bags, rng)


TASK = StudyTask(
    config=DocumentConfig, run=run, metrics=METRICS, fingerprint=lambda config: config.fingerprint()
)
