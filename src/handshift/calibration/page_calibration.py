"""What a model's scores mean: calibrations, propositions, and pages of known truth to compare with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.calibration import Calibration, CalibrationError, LabelledScores, Method, fit_calibration
from handshift.calibration.model_fingerprint import require_fingerprint, scoring_fingerprint
from handshift.calibration.propositions import Propositions
from handshift.core.arrays import Floats
from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object

SHOWN = 600
"""Reference pages of either kind that are kept to be shown beside a page's score."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Scores of pages whose truth is known, for showing where this page's score lies."""

    one_hand: tuple[float, ...]
    several_hands: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SizedCalibration:
    """Holds where a page has about `words` words; the more words, the more the same score means."""

    words: float
    calibration: Calibration
    reference: Reference

    @classmethod
    def fit(cls, words: float, known: LabelledScores, method: Method = Method.two_slope) -> SizedCalibration:
        """From pages of this size by known writers; those by several hands are the first proposition's."""
        calibration = fit_calibration(known, method)
        sides = [known.taken(_shown(known.first == several)) for several in (False, True)]
        return cls(words, calibration, Reference(*(tuple(map(float, side.scores)) for side in sides)))


@dataclass(frozen=True, slots=True)
class Weight:
    """What a score weighs."""

    log10_lr: float
    bounds: tuple[float, float]
    interval: tuple[float, float]
    """95 % of draws of calibration writers give a log10 LR within."""


@dataclass(frozen=True, slots=True)
class PageCalibration:
    """Stored beside the model and sealed to it; a score from another model is never read with it.

    Between the sizes it was calibrated at, it goes over evenly in log words; beyond them it stays as it is.
    """

    model: str
    propositions: Propositions
    sizes: tuple[SizedCalibration, ...]
    """Fewest words first."""
    seal: str = field(default="", compare=False)
    """Of the files it was loaded with."""

    def __post_init__(self) -> None:
        counts = [size.words for size in self.sizes]
        if not counts or counts != sorted(set(counts)):
            raise CalibrationError(f"calibrated at {counts} words: wanted one size or several, rising")

    def log10_lr(self, scores: ArrayLike, words: ArrayLike) -> Floats:
        """The calibrated weights of scores of pages with so many words; (cases,) → (cases,)."""
        rows = np.array([size.calibration.log10_lr(scores) for size in self.sizes])  # (sizes, cases)
        share = self._shares(words)
        return np.asarray((share * rows.reshape(share.shape[0], -1)).sum(axis=0).reshape(np.shape(scores)))

    def weigh(self, score: float, words: int) -> Weight:
        """One page's score, with bounds and interval for a page of its size."""

        def between(value: Callable[[Calibration], ArrayLike]) -> tuple[float, float]:
            pairs = np.array([value(size.calibration) for size in self.sizes])  # (sizes, 2)
            low, high = self._shares(words)[:, 0] @ pairs
            return float(low), float(high)

        return Weight(
            float(self.log10_lr(score, words)),
            between(lambda calibration: (calibration.lowest, calibration.highest)),
            between(lambda calibration: calibration.interval(score)),
        )

    def reference(self, words: int) -> Reference:
        """Pages of known truth, of the size nearest to this one."""
        gaps = [abs(np.log(size.words / words)) for size in self.sizes]
        return self.sizes[int(np.argmin(gaps))].reference

    def _shares(self, words: ArrayLike) -> Floats:
        """(sizes, cases or 1) how much each calibration counts."""
        known = np.log([size.words for size in self.sizes])
        at = np.atleast_1d(np.log(np.asarray(words, float)))
        return np.array([np.interp(at, known, row) for row in np.eye(known.size)])

    def save(self, path: Path) -> None:
        """Write as JSON, sealed to the scoring files that lie beside it by then."""
        sizes = [
            {
                "words": size.words,
                "calibration": size.calibration.record(),
                "reference": _rounded(size.reference),
            }
            for size in self.sizes
        ]
        content = {
            "model": self.model,
            "seal": scoring_fingerprint(path.parent),
            "propositions": self.propositions.record(),
        }
        rows = ",\n".join(json.dumps(size) for size in sizes)
        head = json.dumps(content, ensure_ascii=False).removesuffix("}")
        write_text(path, f'{head}, "sizes": [\n{rows}\n]}}\n')

    @classmethod
    def load(cls, path: Path) -> PageCalibration:
        """Read what `save` wrote; refused if it was made for another model than the one beside it."""
        try:
            content = read_json_object(path, "a calibration")
            context = cls(
                content["model"],
                Propositions.from_record(content["propositions"]),
                tuple(map(_sized, content["sizes"])),
                content["seal"],
            )
        except (ValueError, TypeError, KeyError) as error:
            raise HandshiftError(f"{path}: not a calibration ({error})") from error
        require_fingerprint(context.seal, path)
        return context


def _shown(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Those of the flagged cases that a histogram needs, evenly chosen."""
    rows = np.flatnonzero(flags)
    return rows[np.linspace(0, rows.size - 1, min(rows.size, SHOWN)).astype(np.intp)]


def _rounded(reference: Reference) -> dict[str, Any]:
    """Scores to what a histogram shows."""
    return {name: [round(score, 3) for score in scores] for name, scores in asdict(reference).items()}


def _sized(record: dict[str, Any]) -> SizedCalibration:
    reference = Reference(*(tuple(record["reference"][name]) for name in ("one_hand", "several_hands")))
    return SizedCalibration(float(record["words"]), Calibration.from_record(record["calibration"]), reference)
