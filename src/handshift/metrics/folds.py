"""Cross-validated verification accuracy as LFW reports it: the threshold comes from the other folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics.decision import choose_threshold
from handshift.metrics.scored import UnmeasurableError, as_scored


@dataclass(frozen=True)
class FoldAccuracy:
    """Mean accuracy over folds and its standard error."""

    mean: float
    error: float
    folds: int


def fold_accuracy(
    labels: ArrayLike, scores: ArrayLike, groups: ArrayLike, folds: int = 10, seed: int = 0
) -> FoldAccuracy:
    """Accuracy of each fold at a threshold chosen on items that share no group with the fold.

    An item is scored in the fold of its first group. A fold is left out when the items elsewhere are all of
    one class.

    Args:
        labels: (N,) of 0 and 1.
        scores: (N,) scores, larger for label 1.
        groups: (N,), or (N, k) where an item belongs to k groups, as a pair belongs to two writers.
        folds: Number of folds; at most the number of groups.
        seed: Seed of the assignment of groups to folds.

    Returns:
        Mean, standard error and number of the folds used.

    Raises:
        UnmeasurableError: Fewer than two folds can be used.
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
        in_fold = fold_of[number[:, 0]] == fold
        elsewhere = ~(fold_of[number] == fold).any(axis=1)
        if not in_fold.any() or flags[elsewhere].all() or not flags[elsewhere].any():
            continue
        threshold = choose_threshold(flags[elsewhere], values[elsewhere], "accuracy")
        positive = values[in_fold] >= threshold
        accuracies.append(float((positive == flags[in_fold]).mean()))
    if len(accuracies) < 2:
        raise UnmeasurableError(
            f"{names.size} groups leave fewer than two folds to measure accuracy on; more groups are needed"
        )
    error = np.std(accuracies, ddof=1) / np.sqrt(len(accuracies))
    return FoldAccuracy(float(np.mean(accuracies)), float(error), len(accuracies))
