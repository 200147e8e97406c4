"""The source's pipeline on our vectors: its bags, network and recipe, with the figures it did not report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from handshift.bag.bagset import BagSet
from handshift.bag.pages import Key, documents_of
from handshift.bag.source_protocol import source_bags
from handshift.corpus.split import WriterSplit
from handshift.detect.score_bags import score_bags
from handshift.embedding.word_vectors import WordVectors
from handshift.metrics import always_positive_f1, auroc, choose_threshold, decide, tpr_at_fpr
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.study.tasks.detectors import DetectorConfig, detector_of, table_of

METRICS = (
    "auroc",
    "tpr_at_1",
    "tpr_at_5",
    "f1",
    "f1_always_mixed",
    "recall",
    "accuracy",
    "false_positive_rate",
)


def run(config: DetectorConfig, seed: int, folder: Path) -> Outcome:
    """Choose the threshold on validation bags by F1, as the source does; evaluate test bags by share."""
    detector = detector_of(config, seed)
    table, split = table_of(config.folder), WriterSplit.load(config.split)

    held_out = _bags(table, split.parts["validation"], seed, 2)
    threshold = choose_threshold(held_out.label, score_bags(detector, table.vectors, held_out).score)
    bags = source_test_bags(table, split.parts[config.part], seed)
    scored = score_bags(detector, table.vectors, bags)
    groups = {"all": np.ones(len(bags), bool)} | {
        f"{share:.0%}": ~bags.label | (bags.share == share) for share in np.unique(bags.share[bags.label])
    }
    figures = {name: _figures(bags.label[own], scored.score[own], threshold) for name, own in groups.items()}
    every = np.concatenate([np.flatnonzero(own) for own in groups.values()])
    names = np.concatenate([np.full(own.sum(), name) for name, own in groups.items()])
    items = ScoredItems(
        bags.label[every].astype(np.int64), scored.score[every], names, bags.writer[every], threshold
    )
    return Outcome(figures, items)


def source_test_bags(table: WordVectors, writers: Sequence[str], seed: int) -> BagSet:
    """The bags of test writers, as the study of this seed draws them."""
    return _bags(table, writers, seed, 3)


def _bags(table: WordVectors, writers: Sequence[str], seed: int, stream: int) -> BagSet:
    documents = documents_of(table, writers, Key.SESSION)
    return source_bags(documents, np.random.default_rng([seed, stream]))


def _figures(label: np.ndarray, score: np.ndarray, threshold: float) -> dict[str, float]:
    decided = decide(label, score, threshold)
    return {
        "auroc": auroc(label, score),
        "f1": decided.f1,
        "f1_always_mixed": always_positive_f1(label),
        "recall": decided.recall,
        "accuracy": decided.accuracy,
        "false_positive_rate": decided.false_positive_rate,
        "tpr_at_1": tpr_at_fpr(label, score, 0.01),
        "tpr_at_5": tpr_at_fpr(label, score, 0.05),
    }


TASK = StudyTask(
    config=DetectorConfig, run=run, metrics=METRICS, fingerprint=lambda config: config.fingerprint()
)
