"""A validation as HTML, in the form of the page reports."""

from __future__ import annotations

from handshift.evidence.report.report import render
from handshift.evidence.report.run import Run
from handshift.evidence.validation.plots import plots
from handshift.evidence.validation.protocol import Validation

PLOTTED = ("whole page, 20 %", "14 words, 30 %")


def validation_html(validation: Validation, run: Run) -> str:
    """One self-contained file."""
    named = {one.setting.name: one for one in validation.ratios}
    drawn = {name: plots(named[name].known) for name in PLOTTED if name in named}
    return render("validation.html", run, validation=validation, plots=drawn)
