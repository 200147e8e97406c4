"""Sessions merged into writers: every partition of a segmentation's sessions, with its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from handshift.attribution.likelihood import one_writer
from handshift.attribution.set_partitions import set_partitions
from handshift.attribution.variational import Segmentation
from handshift.attribution.word_evidence import PageWords
from handshift.core.arrays import Floats
from handshift.detect.plda import Plda

_FEWEST = 1e-3
"""Words of an empty session, so that nothing is divided by zero."""


@dataclass(frozen=True, slots=True)
class WriterHypothesis:
    """A segmentation into sessions together with the writer of each session."""

    share: Floats
    """(words, writers) probability that a word is by a writer."""
    evidence: float
    blocks: bool
    sessions: int

    @property
    def writers(self) -> int:
        """Number of writers."""
        return int(self.share.shape[1])


def merge_sessions(segmentation: Segmentation, words: PageWords, model: Plda) -> Iterator[WriterHypothesis]:
    """Every way to assign the sessions to writers, from one writer for all to one for each.

    Sessions of one writer share the writer's mean and differ by the session variance. The segmentation's
    evidence, which assumes a writer of its own for each session, changes by the ratio of the two.

    Args:
        segmentation: words assigned to sessions.
        words: the page's words.
        model: PLDA with writer and session variances.

    Yields:
        One hypothesis per set partition of the sessions.
    """
    share = segmentation.share
    counts = np.maximum(share.T @ words.count, _FEWEST)[:, None]
    means = share.T @ words.linear / counts
    noise = model.session + 1 / counts
    partitions, groups, used = set_partitions(segmentation.sessions)
    value = one_writer(means, noise, groups, model.writer)
    separate = one_writer(means, noise, np.eye(segmentation.sessions, dtype=bool), model.writer).sum()
    for labels, members in zip(partitions, used, strict=True):
        gain = value[members].sum() - separate
        by_writer = share @ np.eye(max(labels) + 1)[list(labels)]
        evidence = segmentation.evidence + float(gain)
        yield WriterHypothesis(by_writer, evidence, segmentation.blocks, segmentation.sessions)
