"""Accuracy as LFW reports it: the threshold comes from nine folds, the answers from the tenth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics.decision import choose_threshold
from handshift.metrics.scored import UnmeasurableError, as_scored


@dataclass(frozen=True)
class FoldAccuracy:
    """Mean accuracy over folds, and its standard error."""

    mean: float
    error: float
    folds: int


def fold_accuracy(
    labels: ArrayLike, scores: ArrayLike, groups: ArrayLike, folds: int = 10, seed: int = 0
) -> FoldAccuracy:
    """Each item is answered with a threshold from items that share no group with its fold.

    ``groups`` is (items,), or (items, k) where an item belongs to several, as a pair does to two writers. An
    item is answered in the fold of its first group. A fold that cannot be answered, because its groups leave
    one class only to choose a threshold from, is left out.
    """
    flags, values = as_scored(labels, scores)
    members = np.asarray(groups).reshape(values.size, -1)
    names, number = np.unique(members, return_inverse=True)
    number = number.reshape(members.shape)
    folds = min(folds, names.size)
    fold_of = np.empty(names.size, np.int64)
    fold_of[np.random.default_rng(seed).permutation(names.size)] = np.arange(names.size) % folds
    accuracies = []
    for fold in range(folds):
        asked = fold_of[number[:, 0]] == fold
        known = ~(fold_of[number] == fold).any(axis=1)
        if not asked.any() or flags[known].all() or not flags[known].any():
            continue
        threshold = choose_threshold(flags[known], values[known], "accuracy")
        called = values[asked] >= threshold
        accuracies.append(float((called == flags[asked]).mean()))
    if len(accuracies) < 2:
        raise UnmeasurableError(f"{names.size} groups leave no two folds to measure accuracy on")
    error = np.std(accuracies, ddof=1) / np.sqrt(len(accuracies))
    return FoldAccuracy(float(np.mean(accuracies)), float(error), len(accuracies))
