"""Tables of mean ± std over seeds, one row per variant, one column per group; also as Markdown."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from handshift.study.results import Results
from handshift.study.significance import Comparison, compare
from handshift.study.study_record import StudyRecord


@dataclass(frozen=True)
class Cell:
    """Mean and spread over seeds, the difference to the baseline, and whether this is the best mean."""

    mean: float
    std: float
    seeds: int
    delta: float
    p_holm: float
    best: bool = False

    def text(self, digits: int) -> str:
        """``76.38 ± 0.73``; the seed count is added where there is no spread to show."""
        if not self.seeds:
            return "–"
        spread = "(1 seed)" if self.seeds == 1 else f"± {self.std:.{digits}f}"
        return f"{self.mean:.{digits}f} {spread}"

    def delta_text(self, digits: int) -> str:
        """``+2.76``, with stars by the adjusted paired t-test: * 5 %, ** 1 %, *** 0.1 %."""
        if math.isnan(self.delta):
            return ""
        stars = "".join("*" for limit in (0.05, 0.01, 0.001) if self.p_holm < limit)
        return f"{self.delta:+.{digits}f}{stars}"


@dataclass(frozen=True)
class Table:
    """One metric. ``cells[variant][column]``."""

    metric: str
    title: str
    columns: list[str]
    cells: dict[str, dict[str, Cell]]
    digits: int


def metric_table(results: Results, metric: str) -> Table:
    """Build the table of one metric; the best mean of each column is marked."""
    record, columns = results.record, results.columns()
    cells: dict[str, dict[str, Cell]] = {variant: {} for variant in record.variants}
    for column in columns:
        deltas = {entry.variant: entry for entry in compare(results, metric, column)}
        means = {}
        for variant in record.variants:
            values = list(results.values(metric, column, variant).values())
            means[variant] = statistics.fmean(values) if values else math.nan
        # A lucky single seed must not win against a mean of five.
        counts = {variant: len(results.values(metric, column, variant)) for variant in record.variants}
        known = [means[v] for v, count in counts.items() if count and count == max(counts.values())]
        top = (max if record.higher_is_better(metric) else min)(known) if known else math.nan
        for variant, mean in means.items():
            values = list(results.values(metric, column, variant).values())
            compared = deltas.get(variant)
            cells[variant][column] = Cell(
                mean=mean,
                std=statistics.stdev(values) if len(values) > 1 else math.nan,
                seeds=len(values),
                delta=compared.delta if compared else math.nan,
                p_holm=compared.t_p_holm if compared else math.nan,
                best=mean == top and len(values) == max(counts.values()),
            )
    return Table(metric, record.title_of(metric), columns, cells, _digits(cells))


def _digits(cells: dict[str, dict[str, Cell]]) -> int:
    """Percentages to two places, shares to four."""
    means = [cell.mean for row in cells.values() for cell in row.values() if cell.seeds]
    return 2 if any(abs(mean) > 1.5 for mean in means) else 4


def markdown_table(table: Table, baseline: str) -> str:
    """A Markdown table: best mean in bold, the difference to the baseline in brackets."""
    lines = [
        f"| {table.title} | " + " | ".join(table.columns) + " |",
        "|---" * (len(table.columns) + 1) + "|",
    ]
    for variant, row in table.cells.items():
        cells = []
        for column in table.columns:
            text = row[column].text(table.digits)
            text = f"**{text}**" if row[column].best else text
            delta = "" if variant == baseline else row[column].delta_text(table.digits)
            stars_shown = delta.replace("*", "\\*")  # else Markdown reads them as emphasis
            cells.append(f"{text} ({stars_shown})" if delta else text)
        lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def markdown_tests(comparisons: Iterable[Comparison], record: StudyRecord) -> str:
    """The tests against the baseline, one line per metric, group and variant."""
    lines = [
        "| metric | group | variant | seeds | difference (95 %) | t-test p | Holm | Wilcoxon p | Holm | d |",
        "|---" * 10 + "|",
    ]
    for c in comparisons:
        interval = "" if math.isnan(c.low) else f" ({c.low:+.4g} … {c.high:+.4g})"
        numbers = [c.t_p, c.t_p_holm, c.wilcoxon_p, c.wilcoxon_p_holm]
        lines.append(
            f"| {record.title_of(c.metric)} | {c.group} | {c.variant} | {c.seeds} "
            f"| {c.delta:+.4g}{interval} | "
            + " | ".join(map(p_text, numbers))
            + f" | {number_text(c.effect, '+.2f')} |"
        )
    return "\n".join(lines) + "\n"


def p_text(value: float) -> str:
    """A p-value with two significant digits."""
    return number_text(value, ".2g")


def span_text(bounds: tuple[float, float]) -> str:
    """An interval with three significant digits, or a dash where there is none."""
    low, high = bounds
    return "–" if math.isnan(low) else f"{low:+.3g} … {high:+.3g}"


def number_text(value: float, form: str) -> str:
    """A number, or a dash where there is none."""
    return "–" if math.isnan(value) else format(value, form)
