"""Localisation of foreign words in mixed pages of held-out writers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import Field

from handshift.bag.bagset import BagSet
from handshift.bag.draw import Drawer
from handshift.bag.patterns import Block, Pattern, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.detect.score_bags import score_bags
from handshift.metrics import auroc
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.study.tasks.detectors import DetectorConfig, detector_of, evaluated_pages, table_of

PATTERNS: dict[str, Pattern] = {"block": Block(), "scattered": Scattered()}
MARKED = 2.0
"""A word is marked where it contributes twice as much as words do on average."""


class WhereConfig(DetectorConfig):
    """Which pages a detector is evaluated on."""

    shares: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.5)
    fewest: int = Field(default=8, ge=2, description="words of the shortest page that is taken")
    pages: int = Field(default=60, ge=20, description="of each pattern and share")


def run(config: WhereConfig, seed: int, folder: Path) -> Outcome:
    """Contributions of foreign words against those of the host's, page by page."""
    detector = detector_of(config, seed)
    vectors, pages = table_of(config.folder).vectors, evaluated_pages(config, config.fewest)
    figures, items = {}, []
    for name, pattern in PATTERNS.items():
        for share in config.shares:
            plan = Plan(None, shares=(share,), patterns=(pattern,), kinds={Kind.MIXED: 1})
            rng = np.random.default_rng([seed, round(1000 * share), 2027])
            bags = Drawer(pages, plan).draw(config.pages, rng)
            # Times the number of words: 1 for equal contributions, whatever the length of the page.
            score = score_bags(detector, vectors, bags).contribution * np.repeat(bags.sizes, bags.sizes)
            group = f"{name}, {share:.0%}"
            figures[group] = word_figures(bags, score)
            items.append((bags.foreign.astype(np.int64), score, group, np.repeat(bags.writer, bags.sizes)))
    label, score, unit = (np.concatenate([part[k] for part in items]) for k in (0, 1, 3))
    groups = np.concatenate([np.full(part[0].size, part[2]) for part in items])
    return Outcome(figures, ScoredItems(label, score, groups, unit))


def word_figures(bags: BagSet, score: np.ndarray) -> dict[str, float]:
    """Mean over pages of the AUC within a page, of all words taken together, and F1 of the marked words.

    Beside it the F1 of marking every word.
    """
    ends = bags.offsets[1:-1].astype(np.int64)
    each = zip(np.split(bags.foreign, ends), np.split(score, ends), strict=True)
    within = [auroc(foreign, own) for foreign, own in each]
    marked = score > MARKED
    hits, share = int((marked & bags.foreign).sum()), float(bags.foreign.mean())
    return {
        "word_auc": float(np.mean(within)),
        "auroc": auroc(bags.foreign, score),
        "word_f1": 2 * hits / max(1, int(marked.sum() + bags.foreign.sum())),
        "word_f1_all_marked": 2 * share / (1 + share),
    }


TASK = StudyTask(
    config=WhereConfig,
    run=run,
    metrics=("word_auc", "auroc", "word_f1", "word_f1_all_marked"),
    fingerprint=lambda config: config.fingerprint(),
)
