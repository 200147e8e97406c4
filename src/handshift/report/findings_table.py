"""Findings as CSV: a row for each page, for spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence

from handshift.page.hand_labels import MAIN_HAND, NO_HAND
from handshift.report.csv_table import csv_table
from handshift.report.findings_schema import PageRecord
from handshift.report.run_header import Run

COLUMNS = (
    *("path", "origin", "page", "sha256", "words", "log10_lr", "interval_low", "interval_high"),
    *("bound_low", "bound_high", "support", "hands", "words_set_apart", "warnings", "error"),
    *("scope_inside", "scope_reasons", "scope_weight"),
)


def findings_csv(pages: Sequence[PageRecord], run: Run | None) -> str:
    """Write the findings of a run as a table.

    Args:
        pages: The records of its pages, failures among them.
        run: Its language gives the verbal equivalent; its case data go into every row.

    Returns:
        CSV with a header line.
    """
    return csv_table(COLUMNS, (_row(page, run) for page in pages), run)


def _row(page: PageRecord, run: Run | None) -> dict[str, object]:
    log10_lr = page["log10_lr"]
    interval: Sequence[float | None] = page["log10_lr_interval"] or (None, None)
    bounds: Sequence[float | None] = page["log10_lr_bounds"] or (None, None)
    scope = page["scope"]
    return {
        "path": page["path"],
        "origin": page.get("origin") or "",
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
        "warnings": "; ".join(page["warnings"]),
        "error": page["error"] or "",
        "scope_inside": scope["inside"],
        "scope_reasons": " ".join(reason["code"] for reason in scope["reasons"]),
        "scope_weight": scope["weight"],
    }
