"""All figures of a study, whether they were run here or imported."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from handshift.core.errors import StudyError
from handshift.study.collected import PROVENANCE, Provenance, load_provenance, load_table
from handshift.study.items import RunKey, load_study_items
from handshift.study.measurements import Measurement
from handshift.study.run_folders import find_run
from handshift.study.study_record import StudyRecord
from handshift.study.task import ScoredItems

OVERALL = "overall"
ALL = "all"
"""The group of tasks that measure everything together beside its parts."""


class Results:
    """The figures of a study, and what is known of the runs behind them.

    ``overall`` is the mean over groups, unless runs measure it themselves. A study with a group ``all`` has
    no ``overall``: that would average the whole with its own parts.

    Args:
        record: Variants, metrics and baseline.
        folder: The study's results folder.
        measurements: Figures; those of variants and seeds that are not in the record are left out.
        provenance: The runs behind the figures.
        work: The study's work folder, where training curves are found.

    Raises:
        StudyError: A figure is given twice.
    """

    def __init__(
        self,
        record: StudyRecord,
        folder: Path,
        measurements: Iterable[Measurement],
        provenance: Provenance | None = None,
        work: Path | None = None,
    ) -> None:
        self.record, self.folder, self.work = record, folder, work
        self.provenance = provenance or Provenance(study=record)
        self._items: Mapping[RunKey, ScoredItems] | None = None
        self._values: dict[tuple[str, str, str], dict[int, float]] = {}
        for found in measurements:
            if found.variant not in record.variants or found.seed not in record.seeds:
                continue
            by_seed = self._values.setdefault((found.metric, found.group, found.variant), {})
            if found.seed in by_seed:
                where = f"{found.variant}, seed {found.seed}, {found.group}, {found.metric}"
                raise StudyError(f"{folder}: {where} is given twice")
            by_seed[found.seed] = found.value
        self.groups = list(dict.fromkeys(group for _, group, _ in self._values if group != OVERALL))

    def values(self, metric: str, group: str, variant: str) -> dict[int, float]:
        """Return the figure by seed; empty where nothing was measured."""
        own = self._values.get((metric, group, variant))
        if own is not None or group != OVERALL or ALL in self.groups:
            return own or {}
        parts = [self.values(metric, name, variant) for name in self.groups]
        shared = set.intersection(*map(set, parts)) if parts else set()
        return {seed: math.fsum(part[seed] for part in parts) / len(parts) for seed in sorted(shared)}

    def columns(self) -> list[str]:
        """Return the groups, then ``overall`` where it differs from a single group and from ``all``."""
        measured = any(group == OVERALL for _, group, _ in self._values)
        averaged = len(self.groups) > 1 and ALL not in self.groups
        return [*self.groups, OVERALL] if measured or averaged else self.groups

    def measurements(self) -> Iterator[Measurement]:
        """Yield every figure, groups and overall."""
        for metric in self.record.metrics:
            for group in self.columns():
                for variant in self.record.variants:
                    for seed, value in self.values(metric, group, variant).items():
                        yield Measurement(variant, seed, group, metric, value)

    def seeds_of(self, variant: str) -> list[int]:
        """Return the seeds with which a variant's run is finished."""
        done = {run.seed for run in self.provenance.runs if run.variant == variant}
        return [seed for seed in self.record.seeds if seed in done]

    def items(self, variant: str) -> list[ScoredItems]:
        """Return the scored items of a variant's runs; fewer than its seeds where runs kept none."""
        if self._items is None:
            self._items = load_study_items(self.folder)
        found = (self._items.get((variant, seed)) for seed in self.record.seeds)
        return [items for items in found if items is not None]

    def work_folders(self, variant: str) -> list[Path]:
        """Return the work folders of a variant's runs that are still there."""
        if self.work is None:
            return []
        found = (find_run(self.work, variant, seed) for seed in self.record.seeds)
        return [folder for folder in found if folder is not None]

    def drafts(self) -> list[str]:
        """Name the runs that are marked as drafts."""
        runs = self.provenance.runs
        return [f"{run.variant}, seed {run.seed}" for run in runs if self.provenance.is_draft(run)]


def load_results(folder: Path, work: Path | None = None) -> Results:
    """Read a study's results folder.

    Args:
        folder: ``results/<study>``.
        work: The study's work folder, for training curves.

    Raises:
        StudyError: The folder holds no study, or its table cannot be used.
    """
    provenance = load_provenance(folder)
    if provenance is None:
        raise StudyError(f"{folder} holds no study: {PROVENANCE} is missing. Run or import the study first.")
    return Results(provenance.study, folder, load_table(folder), provenance, work)
