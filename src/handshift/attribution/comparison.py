"""The result of comparing two sets of words: likelihood ratio with bounds and propositions."""

from __future__ import annotations

from dataclasses import dataclass

from handshift.calibration.pair_calibration import PairPropositions


@dataclass(frozen=True, slots=True)
class Comparison:
    """The evidence on whether one writer wrote both sets of words."""

    score: float
    """Grows with the evidence for one writer; natural log of an uncalibrated ratio."""
    log10_lr: float
    """Calibrated for this number of words, and clipped to `bounds`."""
    bounds: tuple[float, float]
    """Largest log10 LR in either direction that the calibration data support."""
    words: tuple[int, int]
    """Number of words on either side."""
    propositions: PairPropositions
    model: str
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        towards = "one writer" if self.log10_lr > 0 else "two writers"
        return "\n".join(
            (
                f"log10 LR {self.log10_lr:+.2f} (bounds {self.bounds[0]:+.1f} to {self.bounds[1]:+.1f}), "
                f"towards {towards}; {self.words[0]} and {self.words[1]} words",
                f"  one writer: {self.propositions.one_writer}",
                f"  two writers: {self.propositions.two_writers}",
                f"  population: {self.propositions.population}",
                *(f"  warning: {warning}" for warning in self.warnings),
            )
        )

    __repr__ = __str__
