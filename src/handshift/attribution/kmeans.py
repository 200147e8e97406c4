"""k-means clustering of words with k-means++ seeding, regardless of their order on the page."""

from __future__ import annotations

import numpy as np

from handshift.attribution.word_evidence import PageWords, WordLabels
from handshift.core.arrays import Floats

_ITERATIONS = 8


def kmeans(words: PageWords, variance: Floats, clusters: int, rng: np.random.Generator) -> WordLabels:
    """Cluster words by the posterior mean of each word's hand.

    Args:
        words: the page's words as natural parameters.
        variance: (dimensions,) prior variance of a hand's mean.
        clusters: how many clusters are wanted; some may end up empty.
        rng: draws the k-means++ seeds.

    Returns:
        (words,) cluster of each word.
    """
    points = words.linear / (words.count[:, None] + 1 / variance)
    centres = points[[rng.integers(len(points))]]
    while len(centres) < clusters:
        distance = _squared_distances(points, centres).min(axis=1)
        chance = distance / distance.sum() if distance.sum() > 0 else None
        centres = np.vstack([centres, points[rng.choice(len(points), p=chance)]])
    labels = np.zeros(len(points), np.int64)
    for _ in range(_ITERATIONS):
        labels = _squared_distances(points, centres).argmin(axis=1)
        counts = np.bincount(labels, minlength=clusters)[:, None]
        sums = np.eye(clusters)[:, labels] @ points
        centres = np.where(counts > 0, sums / np.maximum(counts, 1), centres)
    return labels


def _squared_distances(points: Floats, centres: Floats) -> Floats:
    """(points, centres)."""
    return np.asarray(np.square(points[:, None] - centres).sum(axis=2))
