"""Ridge logistic regression with balanced classes, by Newton's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.core.errors import HandshiftError


def fit_logistic(
    features: Floats, label: NDArray[np.bool_], ridge: float = 1e-2, weight: Floats | None = None
) -> tuple[Floats, float]:
    """Minimise class-balanced BCE + ½·ridge·|weights|².

    Args:
        features: (cases, features), standardised: one ridge applies to all.
        label: (cases,).
        ridge: strength of the penalty.
        weight: (cases,) of each case within its class; all alike if None.

    Returns:
        Weights (features,) and offset.

    Raises:
        HandshiftError: one class is missing.
    """
    label = np.asarray(label, bool)
    if label.all() or not label.any():
        raise HandshiftError("logistic regression needs cases of both classes, by one hand and by several")
    x = np.column_stack([features, np.ones(len(features))])
    weight = np.ones(len(label)) if weight is None else weight
    weight = weight * np.where(label, 0.5 / weight[label].sum(), 0.5 / weight[~label].sum())
    penalty = np.append(np.full(features.shape[1], ridge), 1e-9)
    w = np.zeros(x.shape[1])
    for _ in range(100):
        p = 0.5 * (1 + np.tanh(0.5 * (x @ w)))
        gradient = x.T @ (weight * (p - label)) + penalty * w
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        w = w - step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-12))  # a long step may overshoot
        if np.abs(step).max() < 1e-9:
            break
    return w[:-1], float(w[-1])
