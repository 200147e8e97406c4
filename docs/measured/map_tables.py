"""Tables of any study of maps: one metric of all variants, decisions, and which runs are in."""

from __future__ import annotations

from collections.abc import Sequence

from handshift.metrics import METRICS
from handshift.study.intervals import load_intervals
from handshift.study.results import OVERALL, Results
from handshift.study.significance import compare
from handshift.study.tables import metric_table
from measured.markdown import row
from measured.studies import shown, tested


def grouped_text(results: Results, metric: str) -> str:
    """One metric of all variants in the study's order: every domain, their mean, and its test."""
    record, columns = results.record, results.columns()
    table = metric_table(results, metric)
    tests = {entry.variant: entry for entry in compare(results, metric, OVERALL)}
    images = over_images(results, metric)
    head = [table.title, *columns, "difference (95 % over seeds)", "p", "p, Holm", "95 % over images"]
    lines = [line(head), "|---" * len(head) + "|"]
    for variant in record.variants:
        name = f"{variant} (baseline)" if variant == record.baseline else variant
        cells = [shown(table.cells[variant][column], 3) for column in columns]
        lines.append(line([name, *cells, *tested(tests.get(variant)), images.get(variant, "")]))
    return "\n".join(lines)


def decisions_text(results: Results) -> str:
    """What the thresholds do: mean over domains and seeds of each figure of decision."""
    named = [name for name in results.record.metrics if name in METRICS and METRICS[name].needs_threshold]
    tables = [metric_table(results, metric) for metric in named]
    lines = [
        line(["mean over domains", *(table.title for table in tables)]),
        "|---" * (len(tables) + 1) + "|",
    ]
    lines += [
        line([variant, *(shown(table.cells[variant][OVERALL], 3) for table in tables)])
        for variant in results.record.variants
    ]
    trivial = [f"{METRICS[metric].trivial([0, 1]):.3g}" for metric in named]
    return "\n".join([*lines, line(["*trivial baseline*", *trivial])])


def progress_text(results: Results) -> str:
    """Which runs the tables rest on."""
    record = results.record
    done = {seed: _finished(results, seed) for seed in record.seeds}
    total = len(record.variants) * len(record.seeds)
    if sum(done.values()) == total:
        seeds = ", ".join(map(str, record.seeds))
        return f"All {total} runs are in: {len(record.variants)} variants, seeds {seeds}."
    seeds = ", ".join(f"seed {seed}: {count}" for seed, count in done.items())
    return f"{sum(done.values())} of {total} runs are in ({len(record.variants)} variants; {seeds})."


def over_images(results: Results, metric: str) -> dict[str, str]:
    """The overall figure's interval over drawn images, where `study report` has kept it."""
    return {
        one.variant: f"{one.low:.3f}–{one.high:.3f}"
        for one in load_intervals(results.folder)
        if (one.metric, one.group) == (metric, OVERALL)
    }


def _finished(results: Results, seed: int) -> int:
    return sum(seed in results.seeds_of(variant) for variant in results.record.variants)


def line(cells: Sequence[str]) -> str:
    """One line of a table."""
    return row(cells[0], cells[1:])
