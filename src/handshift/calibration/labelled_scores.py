"""Labelled scores for calibration, and the checks that they can be calibrated."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.core.arrays import Flags, Floats
from handshift.core.errors import HandshiftError

FEWEST_SCORES = 20
FEWEST_WRITERS = 10
"""Smallest number of writers that represents a population and can be divided into folds."""


class CalibrationError(HandshiftError):
    """Scores that cannot be calibrated, or a calibration made for another model."""


class NoEvidenceError(CalibrationError):
    """Scores that do not rise with the truth of the first proposition: they carry nothing."""


@dataclass(frozen=True, slots=True)
class LabelledScores:
    """Scores that grow with the evidence for the first proposition, and whether it is true."""

    scores: Floats
    """(cases,)"""
    first: Flags
    """(cases,) true where the first proposition is."""
    writers: NDArray[np.str_] = field(default_factory=lambda: np.zeros(0, np.str_))
    """(cases,) writer of each case; empty where unknown."""

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        first_writers: ArrayLike = (),
        second_writers: ArrayLike = (),
    ) -> LabelledScores:
        """Concatenate scores of the first proposition's cases and of the second's."""
        true, false = np.asarray(first, float).reshape(-1), np.asarray(second, float).reshape(-1)
        names = [np.asarray(writers, np.str_).reshape(-1) for writers in (first_writers, second_writers)]
        label = np.arange(true.size + false.size) < true.size
        return cls(np.concatenate([true, false]), label, np.concatenate(names))

    def taken(self, rows: NDArray[np.intp]) -> LabelledScores:
        """Some of the cases."""
        writers = self.writers[rows] if self.writers.size else self.writers
        return LabelledScores(self.scores[rows], self.first[rows], writers)

    def joined(self, other: LabelledScores) -> LabelledScores:
        """Concatenate with other cases."""
        pairs = zip(_columns(self), _columns(other), strict=True)
        return LabelledScores(*(np.concatenate(pair) for pair in pairs))

    def require(self) -> None:
        """Check that the scores can be calibrated.

        Raises:
            CalibrationError: scores are not finite, of one class, too few, all equal, or by too few writers.
        """
        bad = int((~np.isfinite(self.scores)).sum())
        if bad:
            raise CalibrationError(f"{bad} of {self.scores.size} calibration scores are not finite numbers")
        true, false = int(self.first.sum()), int((~self.first).sum())
        if not true or not false:
            raise CalibrationError(
                f"all {self.scores.size} calibration scores are of one class: cases of both propositions "
                "are needed"
            )
        if min(true, false) < FEWEST_SCORES:
            raise CalibrationError(
                f"calibration needs at least {FEWEST_SCORES} scores for each proposition, "
                f"got {true} and {false}"
            )
        if np.ptp(self.scores) == 0:
            raise NoEvidenceError("calibration scores are all equal: they separate nothing")
        if self.writers.size:
            self._require_writers()

    def _require_writers(self) -> None:
        if self.writers.size != self.scores.size:
            raise CalibrationError(f"{self.writers.size} writers are named for {self.scores.size} scores")
        people = np.unique(self.writers).size
        if people < FEWEST_WRITERS:
            raise CalibrationError(
                f"calibration needs pages by at least {FEWEST_WRITERS} writers, got {people}: "
                "fewer do not represent a population"
            )


def _columns(known: LabelledScores) -> tuple[Floats, Flags, NDArray[np.str_]]:
    return known.scores, known.first, known.writers
