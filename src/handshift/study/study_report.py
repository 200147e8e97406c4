"""One HTML page with all of a study, and its tables as Markdown and CSV."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from jinja2 import Environment, PackageLoader
from matplotlib.figure import Figure

from handshift.core.atomic import write_text
from handshift.core.figure import save_figure
from handshift.metrics import METRICS
from handshift.study.figures import draw_ablation, draw_bars, draw_roc, draw_training_curves
from handshift.study.intervals import save_intervals, unit_intervals
from handshift.study.measurements import rows_csv, write_csv
from handshift.study.provenance import Origin
from handshift.study.results import OVERALL, Results
from handshift.study.significance import Comparison, all_comparisons, smallest_wilcoxon_p
from handshift.study.tables import (
    markdown_table,
    markdown_tests,
    metric_table,
    number_text,
    p_text,
    span_text,
)

NO_ITEMS = "Tested over seeds alone: no scored items were kept from which writers could be resampled.\n"


def write_report(results: Results) -> Path:
    """Write ``report/`` into the study's folder: report.html, tables.md, csv files, figures.

    Intervals over units go to ``intervals.csv`` beside the study's table, since drawing them takes long.

    Returns:
        The page.
    """
    record, folder = results.record, results.folder / "report"
    tables = [metric_table(results, metric) for metric in record.metrics]
    comparisons = all_comparisons(results)
    intervals = unit_intervals(results)
    markdown = [markdown_table(table, record.baseline) for table in tables]
    missing = [NO_ITEMS] if record.bootstrap and not intervals else []
    write_text(folder / "tables.md", "\n".join([*markdown, markdown_tests(comparisons, record), *missing]))
    write_text(folder / "results.csv", write_csv(results.measurements()))
    write_text(folder / "tests.csv", rows_csv(Comparison, comparisons))
    if intervals:
        save_intervals(results.folder, intervals)

    whiskers = "95 % bootstrap intervals over units" if intervals else "± one standard deviation"
    drawings: list[tuple[str, str, Callable[[], Figure | None]]] = [
        ("bars", f"Means over seeds (dots), with {whiskers}", lambda: draw_bars(results, intervals)),
        ("ablation", f"Along {record.axis}", lambda: draw_ablation(results)),
        ("roc", "ROC, false-positive rate on a logarithmic axis", lambda: draw_roc(results)),
        ("curves", "Training", lambda: draw_training_curves(results)),
    ]
    figures = []
    for name, caption, draw in drawings:
        figure = draw()
        if figure is not None:
            figures.append((caption, save_figure(figure, folder / "figures", name)))

    page = (
        _environment()
        .get_template("report.html.j2")
        .render(
            record=record,
            tables=tables,
            comparisons=comparisons,
            intervals={(i.metric, i.group, i.variant): i for i in intervals},
            trivial=_trivial(results),
            smallest_wilcoxon=smallest_wilcoxon_p(len(record.seeds)),
            figures=figures,
            origins=_origins(results),
            counts={variant: len(results.seeds_of(variant)) for variant in record.variants},
            drafts=results.drafts(),
        )
    )
    write_text(folder / "report.html", page)
    return folder / "report.html"


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("handshift.study", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"p": p_text, "number": number_text, "span": span_text}
    return environment


def _trivial(results: Results) -> dict[tuple[str, str], float]:
    """What a detector without information gives on the items of the first run that kept them."""
    items = next((items for variant in results.record.variants for items in results.items(variant)), None)
    if items is None:
        return {}
    found = {
        (metric, group): METRICS[metric].trivial(items.labels[items.groups == group])
        for metric in results.record.metrics
        if metric in METRICS
        for group in results.groups
    }
    if OVERALL in results.columns():
        for metric in {metric for metric, _ in found}:
            found[metric, OVERALL] = fmean(found[metric, group] for group in results.groups)
    return found


def _origins(results: Results) -> list[tuple[Origin, int]]:
    """Each code and machine behind the figures, with its number of runs."""
    provenance = results.provenance
    return [
        (origin, sum(number in run.origins for run in provenance.runs))
        for number, origin in enumerate(provenance.origins)
    ]
