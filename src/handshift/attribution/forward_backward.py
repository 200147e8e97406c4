"""The forward–backward algorithm of a hidden Markov model (HMM) whose state is the hand of each word."""

from __future__ import annotations

import numpy as np

from handshift.core.arrays import Floats


def forward_backward(evidence: Floats, prior: Floats, loop: Floats) -> tuple[Floats, Floats]:
    """Posterior of the hand of every word and ln p(words), for many models at once.

    The hand stays with probability `loop`; otherwise the next one is drawn from `prior`, possibly the same:

        P(z_t = k | z_{t−1} = j) = loop·[j = k] + (1 − loop)·prior_k.

    loop near 1 expects blocks, loop 0 expects independent words.

    Args:
        evidence: (models, words, hands) ln p(word | hand).
        prior: (models, hands) initial and transition distribution.
        loop: (models,) probability of staying.

    Returns:
        Posteriors (models, words, hands) and log likelihoods (models,).
    """
    top = evidence.max(axis=2, keepdims=True)
    likelihood = np.exp(evidence - top)
    stay = loop[:, None]
    start = (1 - stay) * prior
    forward, scale = np.empty_like(likelihood), np.empty(likelihood.shape[:2])
    now = prior * likelihood[:, 0]
    for word in range(likelihood.shape[1]):
        if word:
            now = (stay * forward[:, word - 1] + start) * likelihood[:, word]
        total = np.add.reduce(now, axis=1)  # as now.sum(axis=1), without its wrapper's cost
        scale[:, word], forward[:, word] = total, now / total[:, None]
    backward = np.ones_like(now)
    for word in range(likelihood.shape[1] - 2, -1, -1):
        later = likelihood[:, word + 1] * backward
        drawn = np.add.reduce(start * later, axis=1, keepdims=True)
        backward = (stay * later + drawn) / scale[:, word + 1, None]
        forward[:, word] *= backward
    return forward, np.asarray((np.log(scale) + top[:, :, 0]).sum(axis=1))
