"""Page calibration: from a page's score and length to a likelihood ratio, with its propositions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.calibration import Calibration, CalibrationError, LabelledScores, Method, fit_calibration
from handshift.calibration.model_fingerprint import FIELD, load_calibration, scoring_fingerprint
from handshift.calibration.propositions import Propositions
from handshift.core.arrays import Floats
from handshift.core.atomic import write_text

SHOWN = 600
"""Reference scores of either kind that are kept for the histogram in reports."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Scores of calibration pages of known truth, shown beside a page's score."""

    one_hand: tuple[float, ...]
    several_hands: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SizedCalibration:
    """Calibration for pages of about `words` words; the same score means more on longer pages."""

    words: float
    calibration: Calibration
    reference: Reference

    @classmethod
    def fit(cls, words: float, known: LabelledScores, method: Method = Method.two_slope) -> SizedCalibration:
        """Fit on scores of pages of this size; pages by several hands belong to the first proposition."""
        return cls.with_reference(words, fit_calibration(known, method), known)

    @classmethod
    def with_reference(
        cls, words: float, calibration: Calibration, known: LabelledScores
    ) -> SizedCalibration:
        """A calibration with scores of pages of this size for the histogram in reports."""
        sides = [known.taken(_shown(known.first == several)) for several in (False, True)]
        return cls(words, calibration, Reference(*(tuple(map(float, side.scores)) for side in sides)))


@dataclass(frozen=True, slots=True)
class PageLr:
    """The likelihood ratio of one page."""

    log10_lr: float
    bounds: tuple[float, float]
    interval: tuple[float, float]
    """95 % bootstrap interval over calibration writers."""


@dataclass(frozen=True, slots=True)
class PageCalibration:
    """Stored beside the model as context.json, with the fingerprint of its scoring files.

    Interpolates linearly in log(number of words) between the calibrated sizes; constant beyond them.
    """

    model: str
    propositions: Propositions
    sizes: tuple[SizedCalibration, ...]
    """Fewest words first."""
    fingerprint: str = field(default="", compare=False)
    """Of the scoring files that it was loaded with; stored as `seal`."""

    def __post_init__(self) -> None:
        counts = [size.words for size in self.sizes]
        if not counts or counts != sorted(set(counts)):
            raise CalibrationError(f"calibrated at {counts} words: expected one or more ascending sizes")

    @property
    def withheld(self) -> tuple[float, ...]:
        """Words of the sizes at which scores carried nothing, so that the ratio is 1."""
        return tuple(size.words for size in self.sizes if size.calibration.says_nothing)

    @property
    def longest(self) -> float:
        """Words of the longest calibrated pages."""
        return self.sizes[-1].words

    def log10_lr(self, scores: ArrayLike, words: ArrayLike) -> Floats:
        """Calibrated log10 LR of scores (cases,) of pages with `words` (cases,) words."""
        rows = np.array([size.calibration.log10_lr(scores) for size in self.sizes])  # (sizes, cases)
        share = self._shares(words)
        return np.asarray((share * rows.reshape(share.shape[0], -1)).sum(axis=0).reshape(np.shape(scores)))

    def page_lr(self, score: float, words: int) -> PageLr:
        """Likelihood ratio of one page's score, with bounds and interval for its number of words."""

        def between(value: Callable[[Calibration], ArrayLike]) -> tuple[float, float]:
            pairs = np.array([value(size.calibration) for size in self.sizes])  # (sizes, 2)
            low, high = self._shares(words)[:, 0] @ pairs
            return float(low), float(high)

        return PageLr(
            float(self.log10_lr(score, words)),
            between(lambda calibration: (calibration.lowest, calibration.highest)),
            between(lambda calibration: calibration.interval(score)),
        )

    def reference(self, words: int) -> Reference:
        """Reference scores of the calibrated size nearest to `words`."""
        gaps = [abs(np.log(size.words / words)) for size in self.sizes]
        return self.sizes[int(np.argmin(gaps))].reference

    def _shares(self, words: ArrayLike) -> Floats:
        """(sizes, cases or 1) interpolation weight of each calibration."""
        known = np.log([size.words for size in self.sizes])
        at = np.atleast_1d(np.log(np.asarray(words, float)))
        return np.array([np.interp(at, known, row) for row in np.eye(known.size)])

    def save(self, path: Path) -> None:
        """Write as JSON with the fingerprint of the scoring files in the same folder."""
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
            FIELD: scoring_fingerprint(path.parent),
            "propositions": self.propositions.record(),
        }
        rows = ",\n".join(json.dumps(size) for size in sizes)
        head = json.dumps(content, ensure_ascii=False).removesuffix("}")
        write_text(path, f'{head}, "sizes": [\n{rows}\n]}}\n')

    @classmethod
    def load(cls, path: Path) -> PageCalibration:
        """Read what `save` wrote.

        Raises:
            HandshiftError: the file is no such calibration.
            CalibrationError: it was made for another model than the one beside it.
        """

        def parse(content: dict[str, Any]) -> PageCalibration:
            propositions = Propositions.from_record(content["propositions"])
            return cls(content["model"], propositions, tuple(map(_sized, content["sizes"])), content[FIELD])

        return load_calibration(path, "a calibration", parse)


def _shown(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """At most 600 of the flagged cases, evenly spaced."""
    rows = np.flatnonzero(flags)
    return rows[np.linspace(0, rows.size - 1, min(rows.size, SHOWN)).astype(np.intp)]


def _rounded(reference: Reference) -> dict[str, Any]:
    """Scores rounded to the resolution of a histogram."""
    return {name: [round(score, 3) for score in scores] for name, scores in asdict(reference).items()}


def _sized(record: dict[str, Any]) -> SizedCalibration:
    reference = Reference(*(tuple(record["reference"][name]) for name in ("one_hand", "several_hands")))
    return SizedCalibration(float(record["words"]), Calibration.from_record(record["calibration"]), reference)
