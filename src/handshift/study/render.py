"""Tables as Markdown for documents, as rich text for the terminal, as CSV for everything else."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import astuple, fields

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as RichTable

from handshift.study.comparison import Comparison, all_comparisons
from handshift.study.intervals import UnitInterval
from handshift.study.record import StudyRecord
from handshift.study.results import Results
from handshift.study.tables import Table, metric_table


def print_tables(results: Results, markdown: bool) -> None:
    """Print every metric's table and its tests, for the terminal or as Markdown."""
    record, comparisons = results.record, all_comparisons(results)
    tables = [metric_table(results, metric) for metric in record.metrics]
    if markdown:
        print("\n".join(markdown_table(table, record.baseline) for table in tables))
        print(markdown_tests(comparisons, record))
        return
    console = Console()
    for table in tables:
        console.print(terminal_table(table, record.baseline))
        tests = [found for found in comparisons if found.metric == table.metric]
        console.print(terminal_tests(tests, f"{table.title}: paired with {record.baseline} over seeds"))


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


def terminal_table(table: Table, baseline: str) -> RichTable:
    """The same for the terminal; the best mean in bold."""
    shown = RichTable(title=table.title, title_justify="left", box=SIMPLE, pad_edge=False)
    shown.add_column("variant")
    for column in table.columns:
        shown.add_column(column, justify="right", no_wrap=True)
    for variant, row in table.cells.items():
        cells = []
        for column in table.columns:
            text = row[column].text(table.digits)
            delta = "" if variant == baseline else row[column].delta_text(table.digits)
            cells.append(
                (f"[bold]{text}[/bold]" if row[column].best else text) + (f"\n{delta}" if delta else "")
            )
        shown.add_row(variant, *cells)
    return shown


def terminal_tests(comparisons: Iterable[Comparison], title: str) -> RichTable:
    """The tests of one metric against the baseline for the terminal."""
    shown = RichTable(title=title, title_justify="left", box=SIMPLE, pad_edge=False)
    for name in ("group", "variant", "n", "Δ", "t p", "Holm", "Wilcoxon", "Holm", "d"):
        shown.add_column(name, justify="left" if name in ("group", "variant") else "right")
    for c in comparisons:
        numbers = [p_text(p) for p in (c.t_p, c.t_p_holm, c.wilcoxon_p, c.wilcoxon_p_holm)]
        effect = number_text(c.effect, "+.2f")
        shown.add_row(c.group, c.variant, str(c.seeds), f"{c.delta:+.4g}", *numbers, effect)
    return shown


def rows_csv(kind: type[Comparison] | type[UnitInterval], rows: Iterable[Comparison | UnitInterval]) -> str:
    """One line per comparison or interval, all fields."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([field.name for field in fields(kind)])
    writer.writerows(astuple(row) for row in rows)
    return buffer.getvalue()


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
