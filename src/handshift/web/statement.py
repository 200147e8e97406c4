"""The report's own sentences about a likelihood ratio, from a stored record."""

from __future__ import annotations

from typing import Any

from handshift.calibration.verbal_scale import times
from handshift.report.page_report import texts
from handshift.report.run_header import Run


def sentences(record: dict[str, Any], run: Run) -> dict[str, Any]:
    """What a ratio means, and how far it reaches, in the words of the printed report."""
    text, lr = texts(run.language), record["log10_lr"]
    low, high = record["log10_lr_bounds"]
    towards = "statement_several" if lr > 0 else "statement_one"
    meaning = text["statement_neither" if run.scale.is_neutral(lr) else towards].format(times=times(lr))
    at_bound = not low < lr < high
    return {
        "meaning": meaning,
        "at_bound": text["at_bound"] if at_bound else "",
        "interval": record["log10_lr_interval"],
        "bounds": [low, high],
    }
