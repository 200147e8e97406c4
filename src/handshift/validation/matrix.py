"""The validation matrix: performance characteristics, criteria fixed beforehand, measured values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from handshift.calibration.elub import elub
from handshift.calibration.invariance_bounds import invariance_bounds, source_bounds
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_json
from handshift.metrics import Interval, bootstrap_interval, devpav
from handshift.report.about_run import in_language
from handshift.report.page_report import texts
from handshift.validation.likelihood_ratios import REPEATS, SETTINGS, Performance, SettingPerformance

CHARACTERISTICS = (
    "accuracy",
    "discrimination",
    "calibration",
    "robustness",
    "coherence",
    "generalisation",
)
"""Of ISO/IEC 21043 and Meuwly, Ramos & Haraksim (2017)."""
METRICS = (
    *("cllr", "cllr_min", "cllr_cal", "misleading_first", "misleading_second", "strongly_misleading", "auc"),
    *("devpav", "cllr_gain"),
)
NAMES = tuple(one.name for one in SETTINGS)
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
    figure: Interval | None
    """None where its setting could not be measured on these writers."""

    @property
    def passed(self) -> bool:
        """Whether the value satisfies the criterion; what was not measured does not."""
        return self.figure is not None and self.criterion.met(self.figure.value)


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

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Settings that were measured and of which no criterion demands anything."""
        judged = {row.criterion.setting for row in self.rows}
        return tuple(one.setting for one in self.bounds if one.setting not in judged)

    def sentence(self, language: Language = Language.en) -> str:
        """What the model is usable for by these criteria, what not, and on what they are silent."""
        t, said = texts(language), in_language(language)
        groups = {
            "usable": self.settings(True),
            "not_for": self.settings(False),
            "unjudged": self.unjudged,
        }
        named = {key: "; ".join(map(said, names)) or t["matrix_none"] for key, names in groups.items()}
        return t["matrix_usable"].format(**named)

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
                    **_rounded(row.figure),
                    "passed": row.passed,
                }
                for row in self.rows
            ],
            "bounds": [asdict(one) for one in self.bounds],
            "usable_for": list(self.settings(True)),
            "not_for": list(self.settings(False)),
            "without_criterion": list(self.unjudged),
        }


def load_criteria(path: Path | None = None) -> tuple[Criterion, ...]:
    """Read criteria; the shipped ones if no file is given.

    Raises:
        HandshiftError: The file holds no list of criteria, or one that nothing could be held against.
    """
    try:
        criteria = tuple(Criterion(**one) for one in read_json(path or _CRITERIA))
    except (LoadError, TypeError) as error:
        raise HandshiftError(f"{path}: not a list of criteria ({error}); see docs/evidence.md") from error
    for one in criteria:
        _check(one, path)
    return criteria


def _check(one: Criterion, path: Path | None) -> None:
    """Refuse a criterion with a name that is not known, which would else count as met by nothing."""
    known = {
        "characteristic": (one.characteristic, CHARACTERISTICS),
        "metric": (one.metric, METRICS),
        "setting": (one.setting, NAMES),
        "against": (one.against, ("single", "spliced", "both")),
        **({"than": (one.than, NAMES)} if one.metric == "cllr_gain" else {}),
    }
    for field, (name, names) in known.items():
        if name not in names:
            raise HandshiftError(f"{path}: no {field} {name!r}; known are {'; '.join(names)}")
    if one.metric == "devpav" and one.against != "both":
        raise HandshiftError(f"{path}: devpav is measured on all documents; give against: both")
    if (one.at_most is None) == (one.at_least is None):
        raise HandshiftError(f"{path}: {one.metric} needs at_most or at_least, one of the two")


def validation_matrix(
    measured: Sequence[SettingPerformance], criteria: Sequence[Criterion], writers: int, seed: int = 0
) -> ValidationMatrix:
    """Hold measurements against criteria; one whose setting could not be measured is not met.

    Args:
        measured: Likelihood ratios by setting.
        criteria: Fixed beforehand.
        writers: Sources of the validation.
        seed: Of the bootstrap.
    """
    settings = {one.setting.name: one for one in measured}
    rows = [MatrixRow(one, _figure(one, settings, seed)) for one in criteria]
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


def _figure(criterion: Criterion, settings: dict[str, SettingPerformance], seed: int) -> Interval | None:
    """What was measured for a criterion; None where it could not be."""
    found = settings.get(criterion.setting)
    performance: Performance | None = getattr(found, criterion.against, None)
    if found is None or performance is None:
        return None
    if criterion.metric == "devpav":
        known = found.known
        groups = known.writers if known.writers.size else known.scores
        return bootstrap_interval(
            groups, lambda at: devpav(known.first[at], known.scores[at]), REPEATS, seed=seed
        )
    if criterion.metric == "cllr_gain":
        less: Performance | None = getattr(settings.get(criterion.than), criterion.against, None)
        return _gain(less.cllr, performance.cllr) if less else None
    interval: Interval = getattr(performance, criterion.metric)
    return interval


def _gain(less: Interval, more: Interval) -> Interval:
    """How much smaller the cost is with more words; its widest interval."""
    draws = min(less.draws, more.draws)
    return Interval(less.value - more.value, less.low - more.high, less.high - more.low, draws)


def _rounded(figure: Interval | None) -> dict[str, Any]:
    if figure is None:
        return {"value": None, "interval": None}
    return {"value": round(figure.value, 4), "interval": [round(figure.low, 4), round(figure.high, 4)]}
