"""Tables as CSV for spreadsheets: model, version and case in every row, and no cell that is evaluated."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from handshift.report.run_header import Run

ABOUT = ("model", "handshift", "case", "exhibit", "examiner", "note")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the start of a formula."""


def csv_table(columns: Sequence[str], rows: Iterable[Mapping[str, object]], run: Run | None) -> str:
    """Write rows under a header line.

    Args:
        columns: Of the findings; the model, the version and the case follow.
        rows: Cells by column; what is missing is empty.
        run: Its model and case go into every row.
    """
    about = about_run(run) if run else {}
    table = io.StringIO()
    table.write("\ufeff")  # by which spreadsheets know UTF-8, and Korean file names stay readable
    writer = csv.DictWriter(table, (*columns, *ABOUT), lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in {**row, **about}.items()})
    return table.getvalue()


def about_run(run: Run) -> dict[str, str]:
    """Model, version and case of a run, by column."""
    return {"model": run.card.id, "handshift": run.versions["handshift"], **run.case}


def _cell(value: object) -> object:
    """A cell that no spreadsheet evaluates (a file may be called =HYPERLINK(…)); numbers have six digits."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
