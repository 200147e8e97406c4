"""The results folder of a study: one table, one provenance file and, where kept, the scored items.

- ``table.csv``: every run's figures, ``variant,seed,group,metric,value``
- ``provenance.json``: the study, and for each run its commit, versions, machine, time and configuration
- ``items.parquet``: what was scored one by one, from which intervals over writers or images are drawn
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from handshift.core.atomic import write_text
from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.study.items import RunKey, load_items, load_study_items, save_study_items
from handshift.study.measurements import Measurement, read_csv, write_csv
from handshift.study.provenance import Origin
from handshift.study.run_folders import finished_runs, refuse_other_config
from handshift.study.spec import load_validated
from handshift.study.study_record import StudyRecord, load_record
from handshift.study.task import ScoredItems, find_task

TABLE = "table.csv"
PROVENANCE = "provenance.json"


class RunRecord(BaseModel):
    """Where one run's figures come from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    variant: str
    seed: int
    origins: tuple[int, ...]
    """Numbers in the study's list of origins: one, or more where a run was resumed by other code."""
    data_fingerprint: str
    started: str
    finished: str
    seconds: float | None = None
    """Of the attempt that finished it."""


class Provenance(BaseModel):
    """The content of ``provenance.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: StudyRecord
    origins: tuple[Origin, ...] = ()
    configs: dict[str, dict[str, Any]] = {}
    """By variant; every seed of a variant has the same."""
    runs: tuple[RunRecord, ...] = ()

    def origins_of(self, run: RunRecord) -> tuple[Origin, ...]:
        """The code and machines that a run was made by."""
        return tuple(self.origins[number] for number in run.origins)

    def is_draft(self, run: RunRecord) -> bool:
        """Whether a run was marked as a draft."""
        return any(origin.draft for origin in self.origins_of(run))


def load_provenance(folder: Path) -> Provenance | None:
    """Read ``provenance.json``; None where the folder holds no results.

    Raises:
        StudyError: The file is not a study's provenance.
    """
    return load_validated(folder / PROVENANCE, Provenance)


def load_table(folder: Path) -> list[Measurement]:
    """Read ``table.csv``."""
    path = folder / TABLE
    return read_csv(path.read_text("utf-8"), path) if path.exists() else []


def save_study(
    folder: Path,
    provenance: Provenance,
    measurements: Iterable[Measurement],
    items: Mapping[RunKey, ScoredItems],
) -> None:
    """Write the results folder; the provenance last, since a folder without it holds no study."""
    write_text(folder / TABLE, write_csv(measurements))
    save_study_items(folder, items)
    text = provenance.model_dump_json(indent=1, exclude_defaults=True)
    write_text(folder / PROVENANCE, text + "\n")


@dataclass(frozen=True)
class _Entry:
    """One run on its way into the table."""

    about: RunRecord
    origins: tuple[Origin, ...]
    config: dict[str, Any]
    measurements: list[Measurement]
    items: ScoredItems | None
    task: str | None = None
    """Of a run that is not collected yet."""

    @property
    def draft(self) -> bool:
        """Whether it was marked as one."""
        return any(origin.draft for origin in self.origins)

    @property
    def rank(self) -> tuple[bool, str]:
        """Of two entries of one run, the higher is kept: a measured one, then the later."""
        return not self.draft, self.about.finished


def collect(work: Path, folder: Path) -> None:
    """Bring the finished runs of a work folder into the results folder; runs that it holds already stay.

    Args:
        work: The study's work folder, with ``study.json`` and a folder for each run.
        folder: The study's results folder.

    Raises:
        StudyError: Runs of one variant were made with different configurations.
    """
    record = load_record(work)
    if record is None:
        return
    with locked(folder):
        kept = _collected(folder)
        entries = dict(kept)
        for path, about, outcome in finished_runs(work):
            key = (about["variant"], about["seed"])
            entry = _finished(path, about, outcome)
            if key not in entries or entry.rank > entries[key].rank:
                entries[key] = entry
        before = load_provenance(folder)
        new = any(entry is not kept.get(key) for key, entry in entries.items())
        if new or before is None or before.study != record:
            _save(folder, record, list(entries.values()))


def _finished(folder: Path, about: Mapping[str, Any], outcome: Mapping[str, Any]) -> _Entry:
    if "origins" not in about:
        raise StudyError(f"{folder}: does not say which code made it. Remove it and run the study again.")
    variant, seed = str(about["variant"]), int(about["seed"])
    record = RunRecord(
        variant=variant,
        seed=seed,
        origins=(),
        data_fingerprint=about["data_fingerprint"],
        started=about["started"],
        finished=outcome["finished"],
        seconds=outcome.get("seconds"),
    )
    measurements = [
        Measurement(variant, seed, group, metric, float(value))
        for group, figures in outcome["metrics"].items()
        for metric, value in figures.items()
    ]
    origins = tuple(Origin.model_validate(one) for one in about["origins"])
    return _Entry(record, origins, about["config"], measurements, load_items(folder), about.get("task"))


def _collected(folder: Path) -> dict[RunKey, _Entry]:
    provenance = load_provenance(folder)
    if provenance is None:
        return {}
    figures: dict[RunKey, list[Measurement]] = {}
    for found in load_table(folder):
        figures.setdefault((found.variant, found.seed), []).append(found)
    items = load_study_items(folder)
    return {
        (run.variant, run.seed): _Entry(
            run,
            provenance.origins_of(run),
            provenance.configs[run.variant],
            figures.get((run.variant, run.seed), []),
            items.get((run.variant, run.seed)),
        )
        for run in provenance.runs
    }


def _save(folder: Path, record: StudyRecord, entries: list[_Entry]) -> None:
    measured = {entry.about.variant: entry.config for entry in entries if not entry.draft}
    entries = [e for e in entries if not e.draft or measured.get(e.about.variant, e.config) == e.config]
    origins = list(dict.fromkeys(_key(origin) for entry in entries for origin in entry.origins))
    by_key = {_key(origin): origin for entry in entries for origin in entry.origins}
    configs = _common_configs(folder, entries)
    order = {variant: place for place, variant in enumerate(record.variants)}
    entries = sorted(entries, key=lambda entry: order.get(entry.about.variant, len(order)))
    runs = tuple(
        entry.about.model_copy(update={"origins": tuple(origins.index(_key(o)) for o in entry.origins)})
        for entry in entries
    )
    save_study(
        folder,
        Provenance(study=record, origins=tuple(by_key[key] for key in origins), configs=configs, runs=runs),
        [found for entry in entries for found in entry.measurements],
        {
            (entry.about.variant, entry.about.seed): entry.items
            for entry in entries
            if entry.items is not None
        },
    )


def _common_configs(folder: Path, entries: Iterable[_Entry]) -> dict[str, dict[str, Any]]:
    """The configuration of each variant; runs of before lack fields that its task was given since."""
    configs: dict[str, dict[str, Any]] = {}
    for entry in entries:
        before, now = configs.setdefault(entry.about.variant, entry.config), entry.config
        if before != now and entry.task is not None:
            task = find_task(entry.task)
            before, now = task.completed(before), task.completed(now)
            configs[entry.about.variant] = now
        refuse_other_config(folder, before, now)
    return configs


def _key(origin: Origin) -> str:
    return origin.model_dump_json()
