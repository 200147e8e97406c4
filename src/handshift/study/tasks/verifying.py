"""The examination that studies of embeddings share: words of unseen writers, other session."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handshift.embed.collection import WordCollection
from handshift.embed.training import WriterTask
from handshift.embed.verification import balanced_pairs, similarities
from handshift.metrics import measure
from handshift.study.task import ScoredItems

GROUP = "other session"
VERIFICATION = ("auroc", "eer", "tpr_at_5", "tpr_at_1")
_PAIRS = 20_000


def verified(
    task: WriterTask, words: WordCollection, writers: Sequence[str]
) -> tuple[dict[str, float], ScoredItems]:
    """Figures and scored pairs of a trained task; the pairs are the same for every seed and variant."""
    pairs = balanced_pairs(words, writers, count=_PAIRS, seed=2)
    rows = np.unique(pairs.rows)
    scores = similarities(task.vectors(rows), np.searchsorted(rows, pairs.rows)).astype(np.float64)
    labels = pairs.same.astype(np.int64)
    items = ScoredItems(labels, scores, np.full(labels.size, GROUP), words.writer[pairs.rows[:, 0]])
    return dict(measure(VERIFICATION, labels, scores)), items
