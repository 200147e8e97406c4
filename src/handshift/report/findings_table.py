"""Findings as CSV: a row for each page, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from handshift.page.hand_labels import MAIN_HAND, NO_HAND
from handshift.report.findings_schema import PageRecord
from handshift.report.run_header import Run

COLUMNS = (
    *("path", "origin", "page", "sha256", "words", "log10_lr", "interval_low", "interval_high"),
    *("bound_low", "bound_high", "support", "hands", "words_set_apart", "warnings", "error"),
    *("scope_inside", "scope_reasons", "scope_weight"),
    *("model", "handshift", "case", "exhibit", "examiner", "note"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for the start of a formula."""


def findings_csv(pages: Sequence[PageRecord], run: Run | None) -> str:
    """Write the findings of a run as a table.

    Args:
        pages: The records of its pages, failures among them.
        run: Its language gives the verbal equivalent; its case data go into every row.

    Returns:
        CSV with a header line.
    """
    table = io.StringIO()
    table.write("\ufeff")  # by which spreadsheets know UTF-8, and Korean file names stay readable
    writer = csv.DictWriter(table, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for page in pages:
        writer.writerow(_row(page, run))
    return table.getvalue()


def _row(page: PageRecord, run: Run | None) -> dict[str, object]:
    log10_lr = page["log10_lr"]
    interval: Sequence[float | None] = page["log10_lr_interval"] or (None, None)
    bounds: Sequence[float | None] = page["log10_lr_bounds"] or (None, None)
    scope = page["scope"]
    return {
        "path": _text(page["path"]),
        "origin": _text(page.get("origin") or ""),
        "page": page["page"],
        "sha256": page["sha256"],
        "words": len(page["words"]),
        "log10_lr": log10_lr,
        "interval_low": interval[0],
        "interval_high": interval[1],
        "bound_low": bounds[0],
        "bound_high": bounds[1],
        "support": run.scale.support(log10_lr, run.language) if run and log10_lr is not None else "",
        "hands": page["hands"],
        "words_set_apart": sum(word["hand"] not in (MAIN_HAND, NO_HAND) for word in page["words"]),
        "warnings": _text("; ".join(page["warnings"])),
        "error": _text(page["error"] or ""),
        "scope_inside": scope["inside"],
        "scope_reasons": " ".join(reason["code"] for reason in scope["reasons"]),
        "scope_weight": scope["weight"],
        "model": run.card.id if run else "",
        "handshift": run.versions["handshift"] if run else "",
        **({name: _text(value) for name, value in run.case.items()} if run else {}),
    }


def _text(value: str) -> str:
    """A cell that no spreadsheet evaluates: a file may be called =HYPERLINK(…)."""
    return f"'{value}" if value.startswith(_FORMULA) else value
