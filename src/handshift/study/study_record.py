"""What tables need to know of a study: its variants, metrics and baseline, without the study file."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from handshift.core.atomic import write_text
from handshift.metrics import METRICS
from handshift.study.spec import StudySpec, load_validated
from handshift.study.task import StudyTask

FILE = "study.json"
"""In the study's work folder, for the runs that are collected from it."""


class StudyRecord(BaseModel):
    """Names and order of variants and metrics, the baseline, and the values along a single numeric axis."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str = ""
    variants: list[str]
    seeds: list[int]
    metrics: list[str]
    baseline: str
    lower_is_better: list[str] = []
    bootstrap: int = 0
    axis: str | None = None
    axis_values: dict[str, float] = {}
    imported: bool = False

    @classmethod
    def of(cls, spec: StudySpec, task: StudyTask) -> StudyRecord:
        """Extract what tables need from a study file and its task."""
        axis, positions = _axis(spec)
        return cls(
            name=spec.name,
            title=spec.title,
            variants=list(spec.expanded()),
            seeds=spec.seeds,
            metrics=list(dict.fromkeys([*spec.metrics, *task.trivial])),
            baseline=spec.baseline,
            lower_is_better=[name for name in spec.metrics if name in task.lower_is_better],
            bootstrap=spec.bootstrap,
            axis=axis,
            axis_values=positions,
        )

    def higher_is_better(self, metric: str) -> bool:
        """Whether larger values of the metric are better."""
        return metric not in self.lower_is_better

    def title_of(self, metric: str) -> str:
        """The metric's name in tables."""
        return METRICS[metric].title if metric in METRICS else metric.replace("_", " ")


def save_record(work: Path, record: StudyRecord) -> None:
    """Write ``study.json`` into a study's work folder."""
    write_text(work / FILE, record.model_dump_json(indent=1))


def load_record(work: Path) -> StudyRecord | None:
    """Read ``study.json``; None where the folder holds no study.

    Raises:
        StudyError: The file is not a study's record.
    """
    return load_validated(work / FILE, StudyRecord)


def _axis(spec: StudySpec) -> tuple[str | None, dict[str, float]]:
    """The grid's key and values where it has one numeric key, so that results can be drawn as a curve."""
    if spec.grid is None or len(spec.grid) != 1:
        return None, {}
    ((key, values),) = spec.grid.items()
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return None, {}
    return key, dict(zip(spec.expanded(), map(float, values), strict=True))
