"""Agglomerative clustering of a page's runs of words by marginal likelihood."""

from __future__ import annotations

import numpy as np

from handshift.attribution.likelihood import one_session
from handshift.attribution.word_evidence import PageWords, WordLabels
from handshift.core.arrays import Floats


def agglomerate_runs(labels: WordLabels, words: PageWords, variance: Floats, clusters: int) -> WordLabels:
    """Merge the two clusters whose union gains most likelihood, until `clusters` are left.

    Args:
        labels: (words,) initial cluster of each word, numbered from 0.
        words: the page's words.
        variance: (dimensions,) prior variance of a hand's mean.
        clusters: how many clusters are left at most.

    Returns:
        (words,) cluster of each word after merging.
    """
    members = np.eye(labels.max() + 1)[:, labels].astype(float)  # (clusters, words)
    while len(members) > clusters:
        sums, counts = members @ words.linear, members @ words.count
        separate = one_session(sums, counts, variance)
        union = one_session(sums[:, None] + sums, counts[:, None] + counts, variance)
        gain = union - separate[:, None] - separate
        np.fill_diagonal(gain, -np.inf)
        kept, merged = sorted(divmod(int(gain.argmax()), len(members)))
        members[kept] += members[merged]
        members = np.delete(members, merged, axis=0)
    return np.asarray(members.argmax(axis=0), np.int64)
