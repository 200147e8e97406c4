"""Words grouped by likeness alone, wherever they stand."""

from __future__ import annotations

import numpy as np

from handshift.attribution.changepoints import Labels
from handshift.attribution.word_evidence import PageWords
from handshift.core.arrays import Floats

_ROUNDS = 8


def grouped(words: PageWords, variance: Floats, wanted: int, rng: np.random.Generator) -> Labels:
    """k-means, begun far apart, of what each word by itself says of its hand."""
    points = words.pull / (words.count[:, None] + 1 / variance)
    centres = points[[rng.integers(len(points))]]
    while len(centres) < wanted:
        away = _squared(points, centres).min(axis=1)
        chance = away / away.sum() if away.sum() > 0 else None
        centres = np.vstack([centres, points[rng.choice(len(points), p=chance)]])
    labels = np.zeros(len(points), np.int64)
    for _ in range(_ROUNDS):
        labels = _squared(points, centres).argmin(axis=1)
        counts = np.bincount(labels, minlength=wanted)[:, None]
        sums = np.eye(wanted)[:, labels] @ points
        centres = np.where(counts > 0, sums / np.maximum(counts, 1), centres)
    return labels


def _squared(points: Floats, centres: Floats) -> Floats:
    """(points, centres) squared distances."""
    return np.asarray(np.square(points[:, None] - centres).sum(axis=2))
