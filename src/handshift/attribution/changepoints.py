"""The best ways to cut a page into runs of words, each by one hand in one sitting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.likelihood import together
from handshift.attribution.word_evidence import PageWords
from handshift.core.arrays import Floats

Labels = NDArray[np.int64]


def best_runs(words: PageWords, variance: Floats, most: int) -> list[Labels]:
    """For 1, 2, …, `most` runs the likeliest cut, as each word's run; exact, by dynamic programming."""
    size = len(words)
    pulls = np.vstack([np.zeros(words.pull.shape[1]), np.cumsum(words.pull, axis=0)])
    counts = np.append(0.0, np.cumsum(words.count))
    first, last = np.triu_indices(size + 1, 1)
    value = np.full((size + 1, size + 1), -np.inf)
    value[first, last] = together(pulls[last] - pulls[first], counts[last] - counts[first], variance)
    best = np.full(size + 1, -np.inf)
    best[0] = 0.0
    came_from, found = [], []
    for _ in range(min(most, size)):
        reached = best[:, None] + value  # (start, end)
        came_from.append(reached.argmax(axis=0))
        best = reached.max(axis=0)
        found.append(_labels(came_from, size))
    return found


def _labels(came_from: list[NDArray[np.intp]], size: int) -> Labels:
    cuts = [size]
    for starts in reversed(came_from):
        cuts.append(int(starts[cuts[-1]]))
    return np.repeat(np.arange(len(came_from)), np.diff(cuts[::-1]))


def joined(labels: Labels, words: PageWords, variance: Floats, wanted: int) -> Labels:
    """Put groups together, the likeliest two first, until `wanted` are left."""
    members = np.eye(labels.max() + 1)[:, labels].astype(float)  # (groups, words)
    while len(members) > wanted:
        sums, counts = members @ words.pull, members @ words.count
        alone = together(sums, counts, variance)
        pair = together(sums[:, None] + sums, counts[:, None] + counts, variance)
        gain = pair - alone[:, None] - alone
        np.fill_diagonal(gain, -np.inf)
        kept, gone = sorted(divmod(int(gain.argmax()), len(members)))
        members[kept] += members[gone]
        members = np.delete(members, gone, axis=0)
    return np.asarray(members.argmax(axis=0), np.int64)
