"""Somebody else's figures, seed by seed, brought under our tables and tests."""

from __future__ import annotations

from pathlib import Path

from handshift.atomic import write_text
from handshift.lock import locked
from handshift.metrics import METRICS
from handshift.study.error import StudyError
from handshift.study.record import FILE, StudyRecord, load_record, save_record
from handshift.study.results import IMPORTED, Results, read_csv, write_csv


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
