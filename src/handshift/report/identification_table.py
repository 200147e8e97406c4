"""Identifications as CSV: a row for each candidate of each page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handshift.calibration.verbal_scale import WRITERS
from handshift.report.csv_table import csv_table
from handshift.report.run_header import Run

OF_PAGE = ("accepted", "threshold", "false_accepts", "prior", "none", "words", "enrolled")
COLUMNS = (
    *("path", "rank", "name", "log10_lr", "support", "confidence"),
    *OF_PAGE,
    *("scope_inside", "warnings", "error"),
)


def identification_csv(records: Sequence[Mapping[str, Any]], run: Run) -> str:
    """The rank lists of all pages.

    Args:
        records: Of each page as `identify --json` writes it; with `error` where it was not identified.
        run: Its language gives the verbal equivalent; model and case go into every row.
    """
    return csv_table(COLUMNS, (row for record in records for row in _rows(record, run)), run)


def _rows(record: Mapping[str, Any], run: Run) -> Iterator[dict[str, object]]:
    if "error" in record:
        yield {"path": record["path"], "error": record["error"]}
        return
    page = {
        "path": record["path"],
        **{name: record[name] for name in OF_PAGE},
        "scope_inside": record["scope"]["inside"],
        "warnings": "; ".join(record["warnings"]),
    }
    for one in record["candidates"]:
        support = run.scale.support(one["log10_lr"], run.language, WRITERS)
        yield {
            **page,
            **{name: one[name] for name in ("rank", "name", "log10_lr", "confidence")},
            "support": support,
        }
