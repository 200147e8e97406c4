"""Figures that were measured elsewhere, seed by seed, as a study with tables and tests of its own."""

from __future__ import annotations

from pathlib import Path

from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.core.loaders import LoadError, read_text
from handshift.metrics import METRICS
from handshift.study.collected import load_provenance, save_study
from handshift.study.measurements import read_csv
from handshift.study.results import Results
from handshift.study.study_record import StudyRecord


def import_csv(path: Path, results: Path, baseline: str, name: str | None = None, title: str = "") -> Results:
    """Copy a table ``variant,seed,group,metric,value`` into ``results/<name>/`` as a study.

    Args:
        path: The table.
        results: Folder of all studies.
        baseline: The variant that all others are compared with.
        name: Name of the study; the file's name if not given.
        title: Title of the report.

    Raises:
        StudyError: The table cannot be read, is empty, gives a figure twice or lacks the baseline; or a study
            of this name was run here.
    """
    try:
        found = read_csv(read_text(path, "a table"), path)
    except LoadError as error:
        raise StudyError(str(error)) from error
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
        before = load_provenance(folder)
        if before is not None and not before.study.imported:
            raise StudyError(f"{folder} holds a study that was run here. Import under another --name.")
        save_study(folder, imported.provenance, found, {})
    return imported
