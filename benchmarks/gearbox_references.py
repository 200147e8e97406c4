"""A supervised reference for the gearbox, and how its order bands differ by load and by fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from handshift.healthmap.baselines.row_levels import row_levels

SHRINKAGE = 0.3
"""Of the covariance within recordings towards its mean variance."""


def supervised_scores(loads: dict[str, tuple[Any, Any, Any]]) -> dict[str, list[Any]]:
    """Labels and scores of a linear discriminant fitted to healthy and broken maps of the nine other loads.

    Args:
        loads: By load: healthy maps to learn from, healthy and broken ones to test on, (maps, sensors, H, W).

    Returns:
        By load, for each sensor: labels and scores.
    """
    found: dict[str, list[Any]] = {}
    for load, (train, healthy, broken) in loads.items():
        others = [loads[other] for other in loads if other != load]
        labels = np.repeat([0, 1], [len(healthy), len(broken)])
        found[load] = []
        for sensor in range(train.shape[1]):
            normal = [row_levels(one[0][:, sensor]) for one in others]
            faulty = [row_levels(one[2][:, sensor]) for one in others]
            within = _within([*normal, *faulty])
            shrunk = (1 - SHRINKAGE) * within + SHRINKAGE * np.diag(np.full(len(within), _mean(within)))
            step = np.concatenate(faulty).mean(axis=0) - np.concatenate(normal).mean(axis=0)
            tested = np.concatenate([row_levels(healthy[:, sensor]), row_levels(broken[:, sensor])])
            found[load].append((labels, tested @ np.linalg.solve(shrunk, step)))
    return found


def band_statistics(loads: dict[str, tuple[Any, Any, Any]]) -> dict[str, dict[str, list[float]]]:
    """Of each sensor and band, in ln: what the fault changes, how healthy loads differ, and the noise.

    Args:
        loads: As for `supervised_scores`.

    Returns:
        By sensor: ``fault``, the mean over loads of broken minus healthy; ``loads``, the standard deviation
        of the healthy means of the loads; ``noise``, that of the maps of one recording.
    """
    sensors = next(iter(loads.values()))[0].shape[1]
    found = {}
    for sensor in range(sensors):
        healthy = [row_levels(one[1][:, sensor]) for one in loads.values()]
        broken = [row_levels(one[2][:, sensor]) for one in loads.values()]
        means = np.stack([levels.mean(axis=0) for levels in healthy])
        faults = np.stack([levels.mean(axis=0) for levels in broken]) - means
        found[f"a{sensor + 1}"] = {
            "fault": np.round(faults.mean(axis=0), 4).tolist(),
            "loads": np.round(means.std(axis=0, ddof=1), 4).tolist(),
            "noise": np.round(np.sqrt(np.diag(_within(healthy))), 4).tolist(),
        }
    return found


def _within(recordings: list[Any]) -> Any:
    """Covariance of maps about the mean of their recording."""
    deviations = np.concatenate([levels - levels.mean(axis=0) for levels in recordings])
    return deviations.T @ deviations / (len(deviations) - len(recordings))


def _mean(covariance: Any) -> float:
    return float(np.trace(covariance)) / len(covariance)
