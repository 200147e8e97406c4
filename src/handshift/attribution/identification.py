"""Open-set identification: enrolled writers ranked by likelihood ratio, with the posterior of none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.scope import INSIDE, Scope


@dataclass(frozen=True, slots=True)
class Candidate:
    """One enrolled writer."""

    name: str
    score: float
    """Natural log of an uncalibrated ratio; grows with the evidence for this writer."""
    log10_lr: float
    """This writer against any other writer of the population; calibrated and bounded."""
    confidence: float
    """Posterior probability, at the stated prior."""


@dataclass(frozen=True, slots=True)
class Identification:
    """A ranked list, best first; iterates over its candidates."""

    candidates: tuple[Candidate, ...]
    accepted: str | None
    """The first candidate's name if it passes the open-set threshold."""
    none: float
    """Posterior probability that none of the enrolled wrote it."""
    weight: float
    """The first candidate's log10 LR before clipping, which is compared with `threshold`."""
    threshold: float
    false_accepts: float
    """Estimated false-accept rate at the threshold, among pages by writers not enrolled."""
    prior: float
    """Prior probability that the writer is enrolled; uniform over the enrolled."""
    words: int
    enrolled: int
    propositions: PairPropositions
    model: str
    warnings: tuple[str, ...] = ()
    scope: Scope = INSIDE
    """Whether the page is like those that the model was validated on."""

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, rank: int) -> Candidate:
        return self.candidates[rank]

    def __str__(self) -> str:
        best = self.candidates[0]
        found = f"{self.accepted}" if self.accepted else f"nobody enrolled; nearest is {best.name}"
        return "\n".join(
            (
                f"{found} (log10 LR {best.log10_lr:+.2f}, confidence {best.confidence:.2f}, "
                f"none of the {self.enrolled} enrolled {self.none:.2f}); {self.words} words",
                f"  threshold: log10 LR {self.threshold:+.2f}, passed by {self.false_accepts:.2%} of pages "
                "by strangers",
                f"  prior: {self.prior:.2f} that the writer is enrolled, all enrolled alike",
                f"  one writer: {self.propositions.one_writer}",
                f"  two writers: {self.propositions.two_writers}",
                f"  population: {self.propositions.population}",
                *(f"  warning: {warning}" for warning in self.warnings),
            )
        )

    __repr__ = __str__


def posterior(
    log10_lr: NDArray[np.floating], prior: float, enrolled: int, unseen: float = 0.0
) -> tuple[NDArray[np.float64], float]:
    """Posterior of each candidate, and of none of the enrolled.

    P(k) = p·LR_k/K / (1 − p + p/K · Σ LR), p the prior that the writer is among the K enrolled.

    Args:
        log10_lr: (candidates,) of each candidate.
        prior: p.
        enrolled: K.
        unseen: log10 LR assumed for enrolled writers that an index search did not return.

    Returns:
        (candidates,) posteriors, and the posterior of none.
    """
    each = prior / enrolled
    shares = each * 10.0 ** np.asarray(log10_lr, float)
    rest = each * (enrolled - len(shares)) * 10.0**unseen
    total = 1 - prior + shares.sum() + rest
    return np.asarray(shares / total), float((1 - prior) / total)
