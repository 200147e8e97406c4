"""The three pictures of likelihood ratios: Tippett, PAV and ECE; none goes beyond what was observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.evidence.lr.isotonic import Isotonic
from handshift.evidence.lr.labelled import Floats, Labelled

_PRIORS = 61


@dataclass(frozen=True, slots=True)
class Tippett:
    """For every log10 LR that occurred, the share of cases with as much or more."""

    first: tuple[Floats, Floats]
    second: tuple[Floats, Floats]
    """(log10 LR, share) where the first and where the second proposition is true."""


@dataclass(frozen=True, slots=True)
class Pav:
    """The log10 LR that was given against the best monotone one in hindsight; the diagonal is wanted."""

    given: Floats
    best: Floats
    """Only where both groups occur: beyond their overlap the best ratio is infinite, and is not drawn."""


@dataclass(frozen=True, slots=True)
class Ece:
    """Empirical cross-entropy over prior odds: of the ratios, of the best monotone ones, and of none."""

    prior: Floats
    """log10 prior odds, no further than the ratios reach."""
    given: Floats
    best: Floats
    none: Floats


def tippett(known: Labelled) -> Tippett:
    """Steps at the observed ratios and nowhere else."""
    sides = []
    for side in (known.first, ~known.first):
        values = np.sort(known.scores[side])
        sides.append((values, 1 - np.arange(values.size) / values.size))
    return Tippett(*sides)


def pav(known: Labelled) -> Pav:
    """Pool adjacent violators on the ratios themselves."""
    given = np.unique(known.scores)
    best = Isotonic.fit(known, misleading=0).log10_lr(given)
    finite = np.isfinite(best)
    return Pav(given[finite], best[finite])


def ece(known: Labelled) -> Ece:
    """ECE(o) = P₁·mean₁ log₂(1 + 1/(LR·o)) + P₂·mean₂ log₂(1 + LR·o), P₁ = o/(1 + o)  (Ramos 2007)."""
    reach = float(np.abs(known.scores).max()) or 1.0
    prior = np.linspace(-reach, reach, _PRIORS)
    best = Isotonic.fit(known, misleading=0).log10_lr(known.scores)
    curves = [cross_entropy(scores, known.first, prior) for scores in (known.scores, best, 0 * known.scores)]
    return Ece(prior, *curves)


def cross_entropy(
    log10_lr: Floats, first: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], prior: Floats
) -> Floats:
    """(priors,) of ratios (cases,) whose first proposition is true where `first` is."""
    natural = np.log(10) * (log10_lr[None, :] + prior[:, None])  # (priors, cases) posterior ln odds
    chance = 1 / (1 + 10.0**-prior)
    missed = np.logaddexp(0, -natural[:, first]).mean(axis=1)
    misled = np.logaddexp(0, natural[:, ~first]).mean(axis=1)
    return np.asarray((chance * missed + (1 - chance) * misled) / np.log(2))
