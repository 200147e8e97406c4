"""The validation matrix: performance characteristics, criteria fixed beforehand, measured values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from handshift.calibration.elub import elub
from handshift.calibration.invariance_bounds import invariance_bounds, source_bounds
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_json
from handshift.metrics import bootstrap_interval, devpav
from handshift.validation.likelihood_ratios import REPEATS, Performance, SettingPerformance

CHARACTERISTICS = (
    "accuracy",
    "discrimination",
    "calibration",
    "robustness",
    "coherence",
    "generalisation",
)
"""Of ISO/IEC 21043 and Meuwly, Ramos & Haraksim (2017)."""
_CRITERIA = Path(__file__).with_name("criteria.json")


@dataclass(frozen=True, slots=True)
class Criterion:
    """What is demanded of one metric, written down before it is measured."""

    characteristic: str
    metric: str
    """A field of `Performance`, ``devpav``, or ``cllr_gain`` over the setting `than`."""
    setting: str
    against: str
    """single, spliced or both: the pages by one hand."""
    at_most: float | None = None
    at_least: float | None = None
    than: str = ""

    def met(self, value: float) -> bool:
        """Whether a measured value satisfies the criterion."""
        below = self.at_most is None or value <= self.at_most
        return below and (self.at_least is None or value >= self.at_least)

    @property
    def limit(self) -> str:
        """The demand in signs."""
        return f"≤ {self.at_most:g}" if self.at_most is not None else f"≥ {self.at_least:g}"


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One criterion with what was measured."""

    criterion: Criterion
    value: float
    low: float
    high: float

    @property
    def passed(self) -> bool:
        """Whether the value satisfies the criterion."""
        return self.criterion.met(self.value)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of log10 LR that the validation data support, by three methods."""

    setting: str
    elub: tuple[float, float]
    invariance: tuple[float, float]
    sources: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ValidationMatrix:
    """All rows, the bounds of each setting, and the settings for which every criterion is met."""

    rows: tuple[MatrixRow, ...]
    bounds: tuple[Bounds, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """Characteristics of which a criterion is not met."""
        return tuple(dict.fromkeys(r.criterion.characteristic for r in self.rows if not r.passed))

    def settings(self, usable: bool) -> tuple[str, ...]:
        """Settings whose criteria are all met, or those of which one is not."""
        failed = {row.criterion.setting for row in self.rows if not row.passed}
        known = dict.fromkeys(row.criterion.setting for row in self.rows)
        return tuple(name for name in known if (name not in failed) == usable)

    def record(self) -> dict[str, Any]:
        """As plain data for JSON, rounded to four digits."""
        return {
            "rows": [
                {
                    **{
                        name: value
                        for name, value in asdict(row.criterion).items()
                        if value not in (None, "")
                    },
                    "value": round(row.value, 4),
                    "interval": [round(row.low, 4), round(row.high, 4)],
                    "passed": row.passed,
                }
                for row in self.rows
            ],
            "bounds": [asdict(one) for one in self.bounds],
            "usable_for": list(self.settings(True)),
            "not_for": list(self.settings(False)),
        }


def load_criteria(path: Path | None = None) -> tuple[Criterion, ...]:
    """Read criteria; the shipped ones if no file is given.

    Raises:
        HandshiftError: The file holds no list of criteria, or one of an unknown characteristic.
    """
    try:
        criteria = tuple(Criterion(**one) for one in read_json(path or _CRITERIA))
    except (LoadError, TypeError) as error:
        raise HandshiftError(f"{path}: not a list of criteria ({error}); see docs/evidence.md") from error
    for one in criteria:
        if one.characteristic not in CHARACTERISTICS:
            known = ", ".join(CHARACTERISTICS)
            raise HandshiftError(f"{path}: no characteristic {one.characteristic!r}; known are {known}")
        if (one.at_most is None) == (one.at_least is None):
            raise HandshiftError(f"{path}: {one.metric} needs at_most or at_least, one of the two")
    return criteria


def validation_matrix(
    measured: Sequence[SettingPerformance], criteria: Sequence[Criterion], writers: int, seed: int = 0
) -> ValidationMatrix:
    """Hold measurements against criteria; those of settings that could not be measured are left out.

    Args:
        measured: Likelihood ratios by setting.
        criteria: Fixed beforehand.
        writers: Sources of the validation.
        seed: Of the bootstrap.
    """
    settings = {one.setting.name: one for one in measured}
    rows = [row for one in criteria for row in _row(one, settings, seed)]
    bounds = [
        Bounds(
            one.setting.name,
            elub(one.known.scores, one.known.first),
            invariance_bounds(one.known.scores, one.known.first),
            source_bounds(writers),
        )
        for one in measured
    ]
    return ValidationMatrix(tuple(rows), tuple(bounds))


def _row(criterion: Criterion, settings: dict[str, SettingPerformance], seed: int) -> list[MatrixRow]:
    found = settings.get(criterion.setting)
    performance: Performance | None = getattr(found, criterion.against, None) if found else None
    if found is None or performance is None:
        return []
    if criterion.metric == "devpav":
        known = found.known
        groups = known.writers if known.writers.size else known.scores
        figure = bootstrap_interval(
            groups, lambda at: devpav(known.first[at], known.scores[at]), REPEATS, seed=seed
        )
        return [MatrixRow(criterion, figure.value, figure.low, figure.high)]
    if criterion.metric == "cllr_gain":
        other = settings.get(criterion.than)
        if other is None:
            return []
        less = getattr(other, criterion.against)
        gain = less.cllr.value - performance.cllr.value
        widest = (less.cllr.low - performance.cllr.high, less.cllr.high - performance.cllr.low)
        return [MatrixRow(criterion, gain, *widest)]
    interval = getattr(performance, criterion.metric)
    return [MatrixRow(criterion, interval.value, interval.low, interval.high)]
