"""Tasks that a study can run: functions from (configuration, seed, folder) to figures."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from handshift.core.errors import StudyError
from handshift.study.spec import StudySpec, complaints

# Text, so that listing them imports nothing; a study file may also name "package.module:NAME" itself.
TASKS = {
    "toy-scribes": "handshift.study.tasks.toy_scribes:TASK",
    "embed-margins": "handshift.study.tasks.embed_margins:TASK",
    "embed-cleaning": "handshift.study.tasks.embed_cleaning:TASK",
    "embed-databases": "handshift.study.tasks.embed_databases:TASK",
    "maps": "handshift.study.tasks.maps:TASK",
    "detect-source": "handshift.study.tasks.detect_source:TASK",
    "detect-documents": "handshift.study.tasks.detect_documents:TASK",
    "detect-where": "handshift.study.tasks.detect_where:TASK",
    "detect-controls": "handshift.study.tasks.detect_controls:TASK",
    "detect-elsewhere": "handshift.study.tasks.detect_elsewhere:TASK",
}


@dataclass(frozen=True)
class ScoredItems:
    """Labels and scores of single items, from which intervals and curves are drawn; all arrays (N,).

    ``units`` says which writer (page, image) an item belongs to: the bootstrap draws whole units.
    """

    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    groups: NDArray[np.str_]
    units: NDArray[np.str_]
    threshold: float | Mapping[str, float] | None = None
    """Chosen on other data: one for all items, or one for each group."""

    def threshold_of(self, group: str) -> float:
        """The threshold for a group's items; 0 where none was chosen."""
        chosen = self.threshold
        return float(chosen.get(group, 0.0) if isinstance(chosen, Mapping) else chosen or 0.0)


@dataclass(frozen=True)
class Outcome:
    """Figures by group and name, and the items behind them where there are any."""

    metrics: Mapping[str, Mapping[str, float]]
    items: ScoredItems | None = None


@dataclass(frozen=True)
class StudyTask:
    """What a study runs.

    Args:
        config: Pydantic model of a variant's configuration, with ``extra="forbid"``.
        run: Called with configuration, seed and work folder; resumes from what it finds in the folder.
        metrics: Names of the figures it returns.
        fingerprint: Identity of the data that a configuration uses.
        lower_is_better: Metrics of which the lowest value is the best.
        trivial: Figures of a trivial baseline, tabulated beside every study's metrics without being listed.
    """

    config: type[BaseModel]
    run: Callable[[Any, int, Path], Outcome]
    metrics: tuple[str, ...]
    fingerprint: Callable[[Any], str]
    lower_is_better: tuple[str, ...] = field(default=("eer", "cllr", "false_positive_rate"))
    trivial: tuple[str, ...] = ()

    def completed(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A stored configuration with the fields that were added since, at their defaults.

        A new field's default is what was done before, so that earlier runs stay comparable. A configuration
        that is no longer valid is returned as it is.
        """
        try:
            return self.config.model_validate(config).model_dump(mode="json")
        except ValidationError:
            return dict(config)


def find_task(name: str) -> StudyTask:
    """Load a task by its registered name or as ``package.module:NAME``.

    Raises:
        StudyError: The name is unknown, or names no task.
    """
    target = TASKS.get(name, name)
    module, _, attribute = target.partition(":")
    if not attribute:
        raise StudyError(f"task: {name!r} is not known; known are {', '.join(TASKS)}, or package.module:NAME")
    try:
        task = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise StudyError(f"task: {target} cannot be loaded ({error})") from error
    if not isinstance(task, StudyTask):
        raise StudyError(f"task: {target} is a {type(task).__name__}, not a StudyTask")
    return task


def checked_configs(spec: StudySpec, task: StudyTask) -> dict[str, BaseModel]:
    """Check every variant's configuration before the first run begins.

    Raises:
        StudyError: A metric is unknown or a configuration is wrong; the message names variant and field.
    """
    for name in spec.metrics:
        if name not in task.metrics:
            raise StudyError(
                f"metrics: {name!r} is not reported by this task; known: {', '.join(task.metrics)}"
            )
    configs = {}
    for variant in spec.expanded():
        try:
            configs[variant] = task.config.model_validate(spec.config_of(variant))
        except ValidationError as error:
            raise StudyError(f"{spec.name}, variant {variant}: {complaints(error)}") from error
    return configs
