"""Variational Bayes on a hidden Markov model with PLDA emissions, as VBx does for speaker diarisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.attribution.agglomerative import agglomerate_runs
from handshift.attribution.changepoints import best_runs
from handshift.attribution.forward_backward import forward_backward
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.kmeans import kmeans
from handshift.attribution.word_evidence import PageWords, WordLabels
from handshift.core.arrays import Floats
from handshift.detect.plda import Plda

MOST = 5
"""Largest number of sessions, and so of hands, on one page."""
_ITERATIONS = 9
_INITIAL_CERTAINTY = 0.9
"""Posterior of a word's first cluster at the start."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A page's words assigned to sessions."""

    share: Floats
    """(words, sessions) posterior probability that a word belongs to a session."""
    evidence: float
    """Evidence lower bound on ln p(words), relative to each word on the population mean."""
    blocks: bool
    """Whether the model expects sessions to be runs of words (HMM), or scattered words."""

    @property
    def sessions(self) -> int:
        """Number of sessions."""
        return int(self.share.shape[1])


def segment_by_vbx(words: PageWords, model: Plda, settings: HmmSettings) -> list[Segmentation]:
    """The best segmentation for 1 … 5 sessions in blocks, and for 2 … 5 with scattered words.

    A session's mean has the prior N(0, β + σ), a word of it variance 1, and the words form a Markov chain.
    Each model is run from several initial clusterings; the highest lower bound is kept.

    Args:
        words: the page's words in reading order.
        model: PLDA with writer variance β and session variance σ.
        settings: transition probability and expected share of scattered words.

    Returns:
        One segmentation for each pair (number of sessions, blocks or scattered).
    """
    starts = [start for start in _initial_clusterings(words, model) if start.sessions <= len(words)]
    best: dict[tuple[int, bool], Segmentation] = {}
    for found in _iterate(words, model, settings, starts):
        key = (found.sessions, found.blocks)
        if key not in best or found.evidence > best[key].evidence:
            best[key] = found
    return list(best.values())


@dataclass(frozen=True, slots=True)
class _Start:
    sessions: int
    labels: WordLabels
    blocks: bool


def _initial_clusterings(words: PageWords, model: Plda) -> list[_Start]:
    """From optimal changepoints, from more runs agglomerated, and from k-means."""
    rng = np.random.default_rng(len(words))
    variance = model.writer + model.session
    runs = best_runs(words, variance, MOST + 3)
    starts = [_Start(1, np.zeros(len(words), np.int64), True)]
    for sessions in range(2, min(MOST, len(words)) + 1):
        more_runs = runs[min(sessions + 2, len(runs)) - 1]
        merged = agglomerate_runs(more_runs, words, variance, sessions)
        clusters = kmeans(words, variance, sessions, rng)
        starts += [_Start(sessions, runs[sessions - 1], True), _Start(sessions, merged, True)]
        starts += [_Start(sessions, merged, False), _Start(sessions, clusters, False)]
    return starts


def _iterate(
    words: PageWords, model: Plda, settings: HmmSettings, starts: list[_Start]
) -> list[Segmentation]:
    """Alternate the posteriors of session means (M-like step) and of word assignments (E-like step)."""
    variance = model.writer + model.session
    share = np.zeros((len(starts), len(words), MOST))
    prior = np.zeros((len(starts), MOST))
    loop = np.array([settings.loop if start.blocks else 0.0 for start in starts])
    for number, start in enumerate(starts):
        share[number, np.arange(len(words)), start.labels] = _INITIAL_CERTAINTY
        share[number, :, : start.sessions] += (1 - _INITIAL_CERTAINTY) / start.sessions
        prior[number, : start.sessions] = _prior(start, settings)
    bound = np.zeros(len(starts))
    for _ in range(_ITERATIONS):
        members = share.transpose(0, 2, 1)  # (starts, sessions, words)
        counts = (members @ words.count)[..., None]
        sums = members @ words.linear  # (starts, sessions, dimensions)
        precision = 1 / variance + counts
        mean = sums / precision
        square = (mean * mean + 1 / precision).sum(axis=2)[:, None]  # (starts, 1, sessions)
        fit = words.linear @ mean.transpose(0, 2, 1) - 0.5 * words.count[:, None] * square
        share, likelihood = forward_backward(fit, prior, loop)
        divergence = (1 / precision + mean * mean) / variance - 1 + np.log(variance * precision)
        bound = likelihood - (0.5 * divergence.sum(axis=2) * (prior > 0)).sum(axis=1)
    return [
        Segmentation(share[number, :, : start.sessions], float(bound[number]), start.blocks)
        for number, start in enumerate(starts)
    ]


def _prior(start: _Start, settings: HmmSettings) -> Floats:
    """(sessions,) uniform over blocks; for scattered words one main hand and the others."""
    if start.blocks or start.sessions == 1:
        return np.full(start.sessions, 1 / start.sessions)
    prior = np.full(start.sessions, settings.scattered / (start.sessions - 1))
    prior[np.bincount(start.labels, minlength=start.sessions).argmax()] = 1 - settings.scattered
    return prior
