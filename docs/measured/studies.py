"""Tables of studies of embeddings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from handshift.metrics import METRICS
from handshift.study.import_table import import_csv
from handshift.study.results import Results
from handshift.study.significance import Comparison, compare, smallest_wilcoxon_p
from handshift.study.tables import Cell, markdown_table, metric_table
from measured.markdown import row

DROPS = {
    "drop": ("drop_precision", "drop_recall", "noise_left"),
    "the same by the learnt weights": ("learnt_precision", "learnt_recall", None),
    "as many words at random": ("random_precision", "random_recall", "random_precision"),
}


def ranked_text(results: Results, by: str) -> str:
    """All measured variants, the best first, and how many differ from the baseline by the tests."""
    (group,) = results.columns()
    cells = metric_table(results, by).cells
    means = {variant: row[group].mean for variant, row in cells.items() if row[group].seeds}
    order = sorted(means, key=means.__getitem__, reverse=results.record.higher_is_better(by))
    named = (
        f"Best by {results.record.title_of(by)} is **{order[0]}**, last {order[-1]}. {_tests(results, by)}"
    )
    missing = [variant for variant in results.record.variants if variant not in means]
    note = f"\n\n*Being measured again:* {', '.join(missing)}." if missing else ""
    return f"{named}\n\n{_table(results, results.record.metrics, by, order)}{note}"


def cleaning_text(results: Results) -> str:
    """The four trainings in their order; precision and recall of the dropped words."""
    (group,) = results.columns()
    lines = [
        _tests(results, "auroc"),
        "",
        _table(results, ["auroc", "eer"], "auroc", results.record.variants),
    ]
    lines += ["", row("", ["precision", "recall", "wrong labels left"]), "|---|---|---|---|"]
    for name, metrics in DROPS.items():
        found = [
            list(results.values(metric, group, "sub-center").values()) if metric else [] for metric in metrics
        ]
        lines.append(row(name, map(_spread, found)))
    return "\n".join(lines)


def toy_text(results: Results) -> str:
    """The AUROC of the toy study."""
    return markdown_table(metric_table(results, "auroc"), results.record.baseline).rstrip("\n")


def imported_text(table: Path, metric: str) -> str:
    """One metric of figures that were published elsewhere, seed by seed."""
    with TemporaryDirectory() as folder:
        results = import_csv(table, Path(folder), baseline="baseline")
        return markdown_table(metric_table(results, metric), results.record.baseline).rstrip("\n")


def _table(results: Results, metrics: Sequence[str], by: str, order: Sequence[str]) -> str:
    """Mean ± std of each metric, the tests of one, and the trivial baseline."""
    record, (group,) = results.record, results.columns()
    tables = [metric_table(results, metric) for metric in metrics]
    tests = {entry.variant: entry for entry in compare(results, by, group)}
    head = [table.title for table in tables]
    head += [f"{record.title_of(by)}, difference (95 % over seeds)", "p", "p, Holm"]
    lines = [row("", head), "|---" * (len(head) + 1) + "|"]
    for variant in order:
        name = f"{variant} (baseline)" if variant == record.baseline else variant
        cells = [shown(table.cells[variant][group], table.digits) for table in tables]
        lines.append(row(name, [*cells, *tested(tests.get(variant))]))
    trivial = [f"{METRICS[metric].trivial([0, 1]):g}" for metric in metrics]
    return "\n".join([*lines, row("*trivial baseline*", [*trivial, "", "", ""])])


def _tests(results: Results, by: str) -> str:
    """How many differences are more than chance."""
    (group,), seeds = results.columns(), len(results.record.seeds)
    tests: Mapping[str, Comparison] = {
        entry.variant: entry for entry in compare(results, by, group) if entry.seeds
    }
    alone = [variant for variant, entry in tests.items() if entry.t_p < 0.05]
    corrected = [variant for variant, entry in tests.items() if entry.t_p_holm < 0.05]
    return (
        f"Of {len(tests)} paired t-tests against {results.record.baseline} over {seeds} seeds, "
        f"{len(alone)} are below 5 % by themselves and {len(corrected)} after Holm's correction "
        f"({', '.join(corrected) or 'none'}); with {seeds} seeds the signed-rank test cannot fall below "
        f"{smallest_wilcoxon_p(seeds):g}."
    )


def shown(cell: Cell, digits: int) -> str:
    """Mean ± std, the best in bold."""
    return f"**{cell.text(digits)}**" if cell.best else cell.text(digits)


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.3f} ± {statistics.stdev(values):.3f}" if values else ""


def tested(entry: Comparison | None) -> list[str]:
    """Difference, its p-value, and the corrected one."""
    if entry is None or math.isnan(entry.t_p):
        return ["", "", ""]
    interval = f"{entry.delta:+.3f} ({entry.low:+.3f} … {entry.high:+.3f})"
    return [interval, f"{entry.t_p:.2g}", f"{entry.t_p_holm:.2g}"]
