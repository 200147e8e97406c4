"""A comparison as CSV: a row for both sides, then one for each hand against each where there are several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from handshift.attribution.comparison import Comparison
from handshift.calibration.verbal_scale import WRITERS
from handshift.report.csv_table import csv_table
from handshift.report.findings_record import readable
from handshift.report.run_header import Run

COLUMNS = (
    *("a", "b", "hand_a", "hand_b", "words_a", "words_b", "log10_lr", "interval_low", "interval_high"),
    *("bound_low", "bound_high", "support", "reached_by_others", "known_pages"),
    *("scope_inside", "scope_reasons", "scope_weight", "warnings"),
)


def comparison_csv(a: Path, b: Path, found: Comparison, run: Run) -> str:
    """The ratio of both sides and those hand by hand.

    Args:
        a: First side, as it was named.
        b: Second side.
        found: The comparison.
        run: Its language gives the verbal equivalent; model and case go into every row.
    """
    sides = {"a": readable(a), "b": readable(b), "scope_inside": found.scope.inside}
    return csv_table(COLUMNS, ({**sides, **row} for row in _rows(found, run)), run)


def _rows(found: Comparison, run: Run) -> Iterator[dict[str, object]]:
    low, high = found.interval or ("", "")
    yield {
        "words_a": found.words[0],
        "words_b": found.words[1],
        "log10_lr": found.log10_lr,
        "interval_low": low,
        "interval_high": high,
        "bound_low": found.bounds[0],
        "bound_high": found.bounds[1],
        "support": run.scale.support(found.log10_lr, run.language, WRITERS),
        "reached_by_others": found.strangers[0][1] if found.strangers and not found.scope.withheld else "",
        "known_pages": found.known.pages if found.known else "",
        "scope_reasons": " ".join(reason.code for reason in found.scope.reasons),
        "scope_weight": found.scope.weight,
        "warnings": "; ".join(map(readable, found.warnings)),
    }
    for one in () if found.scope.withheld else found.by_hand:
        yield {
            "hand_a": one.hands[0],
            "hand_b": one.hands[1],
            "words_a": one.words[0],
            "words_b": one.words[1],
            "log10_lr": one.log10_lr,
            "support": run.scale.support(one.log10_lr, run.language, WRITERS),
        }
