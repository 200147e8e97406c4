"""Tables of studies for the documents, from what lies in results/<study>/."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from handshift.metrics import METRICS
from handshift.study.comparison import Comparison, compare, smallest_wilcoxon_p
from handshift.study.results import Results, load_results
from handshift.study.tables import Cell, metric_table

RESULTS = Path(__file__).resolve().parent.parent / "results"


def ranked_text(study: str, ranked_by: str) -> str:
    """All variants, the best first, with the tests against the baseline and what knowing nothing gives."""
    results = load_results(RESULTS / study)
    record, (group,) = results.record, results.columns()
    tables = [metric_table(results, metric) for metric in record.metrics]
    tests = {entry.variant: entry for entry in compare(results, ranked_by, group)}
    first = next(table for table in tables if table.metric == ranked_by)
    means = {variant: first.cells[variant][group].mean for variant in record.variants}
    order = sorted(record.variants, key=means.__getitem__, reverse=record.higher_is_better(ranked_by))
    heads = [table.title for table in tables]
    lines = [
        _named(results, first.title, order, tests),
        "",
        _row(["", *heads, f"{first.title}, difference (95 % over seeds)", "p", "p, Holm"]),
        "|---" * (len(heads) + 4) + "|",
    ]
    for variant in order:
        shown = f"{variant} (baseline)" if variant == record.baseline else variant
        cells = [_cell(table.cells[variant][group], table.digits) for table in tables]
        lines.append(_row([shown, *cells, *_tested(tests.get(variant))]))
    trivial = [f"{METRICS[metric].trivial([0, 1]):g}" for metric in record.metrics]
    return "\n".join([*lines, _row(["*knowing nothing*", *trivial, "", "", ""])])


def grouped_text(study: str, metric: str) -> str:
    """One metric of all variants in the study's order: every group, their mean, and its test."""
    results = load_results(RESULTS / study)
    record, columns = results.record, results.columns()
    table = metric_table(results, metric)
    tests = {entry.variant: entry for entry in compare(results, metric, columns[-1])}
    lines = [
        _row([table.title, *columns, f"{columns[-1]}, difference (95 % over seeds)", "p", "p, Holm"]),
        "|---" * (len(columns) + 4) + "|",
    ]
    for variant in record.variants:
        shown = f"{variant} (baseline)" if variant == record.baseline else variant
        cells = [_cell(table.cells[variant][column], 3) for column in columns]
        lines.append(_row([shown, *cells, *_tested(tests.get(variant))]))
    return "\n".join(lines)


def decisions_text(study: str) -> str:
    """What the thresholds do: mean over groups and seeds of each figure of decision."""
    results = load_results(RESULTS / study)
    named = [metric for metric in results.record.metrics if METRICS[metric].needs_threshold]
    tables = [metric_table(results, metric) for metric in named]
    lines = [
        _row(["mean over domains", *(table.title for table in tables)]),
        "|---" * (len(tables) + 1) + "|",
    ]
    for variant in results.record.variants:
        cells = [table.cells[variant][table.columns[-1]] for table in tables]
        lines.append(_row([variant, *(_cell(cell, 3) for cell in cells)]))
    trivial = [f"{METRICS[metric].trivial([0, 1]):.3g}" for metric in named]
    return "\n".join([*lines, _row(["*knowing nothing*", *trivial])])


def _named(results: Results, title: str, order: Sequence[str], tests: dict[str, Comparison]) -> str:
    """Which is best, and what the tests allow to say."""
    seeds = len(results.record.seeds)
    alone = [variant for variant in tests if tests[variant].t_p < 0.05]
    corrected = [variant for variant in alone if tests[variant].t_p_holm < 0.05]
    return (
        f"Best by {title} is **{order[0]}**, last {order[-1]}. Of {len(tests)} paired t-tests against "
        f"{results.record.baseline} over {seeds} seeds, {len(alone)} are below 5 % by themselves and "
        f"{len(corrected)} after Holm's correction ({', '.join(corrected) or 'none'}); "
        f"with {seeds} seeds the signed-rank test cannot fall below {smallest_wilcoxon_p(seeds):g}."
    )


def _cell(cell: Cell, digits: int) -> str:
    return f"**{cell.text(digits)}**" if cell.best else cell.text(digits)


def _tested(entry: Comparison | None) -> list[str]:
    if entry is None or math.isnan(entry.t_p):
        return ["", "", ""]
    interval = f"{entry.delta:+.3f} ({entry.low:+.3f} … {entry.high:+.3f})"
    return [interval, f"{entry.t_p:.2g}", f"{entry.t_p_holm:.2g}"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
