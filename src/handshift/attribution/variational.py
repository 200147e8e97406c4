"""Explanations of a page by one, two, … sittings, each improved until it explains the words best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.attribution.changepoints import Labels, best_runs, joined
from handshift.attribution.forward_backward import forward_backward
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.kmeans import grouped
from handshift.attribution.word_evidence import PageWords
from handshift.core.arrays import Floats
from handshift.detect.plda import Plda

MOST = 5
"""Sittings on one page; more are not told apart."""
_ROUNDS = 9
_FIRM = 0.9
"""How surely an explanation begins with its first assignment."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One way a page may have come about."""

    share: Floats
    """(words, sittings) probability that a word belongs to a sitting."""
    evidence: float
    """Bound on ln p(words), relative to words that each stand on the mean of all writers."""
    blocks: bool
    """Whether sittings are expected to be runs, or words here and there."""

    @property
    def sittings(self) -> int:
        """How many there are."""
        return int(self.share.shape[1])


def explanations(words: PageWords, model: Plda, settings: HmmSettings) -> list[Segmentation]:
    """The best explanation by 1 … 5 sittings in blocks, and by 2 … 5 with scattered words.

    Variational Bayes (as VBx does for voices): a sitting's mean has the prior N(0, β + σ), a word of it
    variance 1, and the words form a chain.
    """
    begun = [start for start in _starts(words, model, settings) if start.sittings <= len(words)]
    found = _improved(words, model, settings, begun)
    best: dict[tuple[int, bool], Segmentation] = {}
    for explanation in found:
        key = (explanation.sittings, explanation.blocks)
        if key not in best or explanation.evidence > best[key].evidence:
            best[key] = explanation
    return list(best.values())


@dataclass(frozen=True, slots=True)
class _Start:
    sittings: int
    labels: Labels
    blocks: bool


def _starts(words: PageWords, model: Plda, settings: HmmSettings) -> list[_Start]:
    """From exact runs, from more runs joined, and from likeness alone."""
    rng = np.random.default_rng(len(words))
    variance = model.writer + model.session
    runs = best_runs(words, variance, MOST + 3)
    starts = [_Start(1, np.zeros(len(words), np.int64), True)]
    for sittings in range(2, min(MOST, len(words)) + 1):
        more = joined(runs[min(sittings + 2, len(runs)) - 1], words, variance, sittings)
        alike = grouped(words, variance, sittings, rng)
        starts += [_Start(sittings, runs[sittings - 1], True), _Start(sittings, more, True)]
        starts += [_Start(sittings, more, False), _Start(sittings, alike, False)]
    return starts


def _improved(
    words: PageWords, model: Plda, settings: HmmSettings, starts: list[_Start]
) -> list[Segmentation]:
    variance = model.writer + model.session
    share = np.zeros((len(starts), len(words), MOST))
    prior = np.zeros((len(starts), MOST))
    loop = np.array([settings.loop if start.blocks else 0.0 for start in starts])
    for number, start in enumerate(starts):
        share[number, np.arange(len(words)), start.labels] = _FIRM
        share[number, :, : start.sittings] += (1 - _FIRM) / start.sittings
        prior[number, : start.sittings] = _prior(start, settings)
    bound = np.zeros(len(starts))
    for _ in range(_ROUNDS):
        members = share.transpose(0, 2, 1)  # (starts, sittings, words)
        counts = (members @ words.count)[..., None]
        sums = members @ words.pull  # (starts, sittings, dimensions)
        precision = 1 / variance + counts
        mean = sums / precision
        square = (mean * mean + 1 / precision).sum(axis=2)[:, None]  # (starts, 1, sittings)
        fit = words.pull @ mean.transpose(0, 2, 1) - 0.5 * words.count[:, None] * square
        share, likelihood = forward_backward(fit, prior, loop)
        surprise = 0.5 * ((1 / precision + mean * mean) / variance - 1 + np.log(variance * precision)).sum(2)
        bound = likelihood - (surprise * (prior > 0)).sum(axis=1)
    return [
        Segmentation(share[number, :, : start.sittings], float(bound[number]), start.blocks)
        for number, start in enumerate(starts)
    ]


def _prior(start: _Start, settings: HmmSettings) -> Floats:
    """(sittings,) how often each comes up: alike in blocks, else one main hand and others here and there."""
    if start.blocks or start.sittings == 1:
        return np.full(start.sittings, 1 / start.sittings)
    prior = np.full(start.sittings, settings.scattered / (start.sittings - 1))
    prior[np.bincount(start.labels, minlength=start.sittings).argmax()] = 1 - settings.scattered
    return prior
