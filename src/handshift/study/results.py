"""All figures of a study in one list, wherever they came from.

Somebody else's figures, seed by seed, brought under our tables and tests.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from handshift.core.atomic import write_text
from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.core.loaders import read_json_object
from handshift.metrics import METRICS
from handshift.study.run_folders import DONE, slug
from handshift.study.study_record import FILE, StudyRecord, load_record, save_record

OVERALL = "overall"
IMPORTED = "imported.csv"


@dataclass(frozen=True)
class Measurement:
    """One figure of one run."""

    variant: str
    seed: int
    group: str
    metric: str
    value: float


HEADER = [field.name for field in fields(Measurement)]


class Results:
    """The figures of a study. Where runs give none themselves, ``overall`` is the mean over groups."""

    def __init__(self, record: StudyRecord, folder: Path, measurements: Iterable[Measurement]) -> None:
        self.record, self.folder = record, folder
        self._values: dict[tuple[str, str, str], dict[int, float]] = {}
        for found in measurements:
            by_seed = self._values.setdefault((found.metric, found.group, found.variant), {})
            if found.seed in by_seed:
                where = f"{found.variant}, seed {found.seed}, {found.group}, {found.metric}"
                raise StudyError(f"{folder}: {where} is given twice")
            by_seed[found.seed] = found.value
        self.groups = list(dict.fromkeys(group for _, group, _ in self._values if group != OVERALL))

    def values(self, metric: str, group: str, variant: str) -> dict[int, float]:
        """Figure by seed; empty where nothing was measured."""
        own = self._values.get((metric, group, variant))
        if own is not None or group != OVERALL:
            return own or {}
        parts = [self.values(metric, name, variant) for name in self.groups]
        shared = set.intersection(*map(set, parts)) if parts else set()
        return {seed: math.fsum(part[seed] for part in parts) / len(parts) for seed in sorted(shared)}

    def columns(self) -> list[str]:
        """Groups, then ``overall`` where that says more than a single group does."""
        return [*self.groups, OVERALL] if len(self.groups) != 1 else self.groups

    def measurements(self) -> Iterator[Measurement]:
        """Every figure, groups and overall."""
        for metric in self.record.metrics:
            for group in self.columns():
                for variant in self.record.variants:
                    for seed, value in self.values(metric, group, variant).items():
                        yield Measurement(variant, seed, group, metric, value)

    def run_folders(self, variant: str) -> dict[int, Path]:
        """Folders of the finished runs of ``variant``, by seed."""
        folders = {}
        for seed in self.record.seeds:
            for path in self.folder.glob(f"*_{slug(variant)}_seed{seed}/{DONE}"):
                folders[seed] = path.parent
        return folders


def load_results(folder: Path) -> Results:
    """Read the imported table, or the ``metrics.json`` of every finished run."""
    record = load_record(folder)
    if record.imported:
        return Results(record, folder, read_csv((folder / IMPORTED).read_text("utf-8"), folder / IMPORTED))
    return Results(record, folder, _from_runs(record, folder))


def _from_runs(record: StudyRecord, folder: Path) -> Iterator[Measurement]:
    for variant in record.variants:
        for seed in record.seeds:
            for path in folder.glob(f"*_{slug(variant)}_seed{seed}/{DONE}"):
                for group, figures in read_json_object(path, "the figures of a run")["metrics"].items():
                    for metric, value in figures.items():
                        yield Measurement(variant, seed, group, metric, float(value))


def read_csv(text: str, path: Path) -> list[Measurement]:
    """Parse ``variant,seed,group,metric,value``; complaints name the line."""
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames is None or sorted(reader.fieldnames) != sorted(HEADER):
        raise StudyError(f"{path}: the first line must be {','.join(HEADER)}, not {reader.fieldnames}")
    found = []
    for row in reader:
        try:
            value = float(row["value"])
            found.append(Measurement(row["variant"], int(row["seed"]), row["group"], row["metric"], value))
        except (TypeError, ValueError) as error:
            raise StudyError(f"{path}, line {reader.line_num}: {error}") from error
        if not math.isfinite(value):
            raise StudyError(f"{path}, line {reader.line_num}: the value is {row['value']}")
    return found


def write_csv(measurements: Iterable[Measurement]) -> str:
    """The long table that ``read_csv`` reads."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(astuple(measurement) for measurement in measurements)
    return buffer.getvalue()


def import_csv(path: Path, results: Path, baseline: str, name: str | None = None, title: str = "") -> Results:
    """Take a table ``variant,seed,group,metric,value`` into ``results/<name>/`` as a study of its own."""
    try:
        found = read_csv(path.read_text("utf-8-sig"), path)
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror})") from error
    if not found:
        raise StudyError(f"{path}: the table is empty")
    variants = list(dict.fromkeys(row.variant for row in found))
    if baseline not in variants:
        raise StudyError(f"baseline: {baseline!r} is not in {path}; it has {', '.join(variants)}")
    metrics = list(dict.fromkeys(row.metric for row in found))
    record = StudyRecord(
        name=name or path.stem,
        title=title,
        variants=variants,
        seeds=sorted({row.seed for row in found}),
        metrics=metrics,
        baseline=baseline,
        lower_is_better=[m for m in metrics if m in METRICS and not METRICS[m].higher_is_better],
        imported=True,
    )
    folder = results / record.name
    imported = Results(record, folder, found)  # refuses a figure given twice, before anything is written
    with locked(folder):
        if (folder / FILE).exists() and not load_record(folder).imported:
            raise StudyError(f"{folder} holds a study that was run here. Import under another --name.")
        write_text(folder / IMPORTED, write_csv(found))
        save_record(folder, record)
    return imported
