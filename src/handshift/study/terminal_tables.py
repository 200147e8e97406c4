"""A study's tables for the terminal: divided where too wide, with no name left out and no cell cut."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from handshift.study.results import Results
from handshift.study.significance import Comparison, all_comparisons
from handshift.study.tables import Table, markdown_table, markdown_tests, metric_table, number_text, p_text

UNLIMITED = 10_000
"""Columns of text for output that no terminal breaks."""
GAP = 2
"""Columns of text between two columns of a table."""


def print_tables(results: Results, markdown: bool) -> None:
    """Print every metric's table and its tests, for the terminal or as Markdown.

    Tables wider than the terminal are continued below, each part with the names of the variants. Piped output
    is as wide as the tables.
    """
    record, comparisons = results.record, all_comparisons(results)
    tables = [metric_table(results, metric) for metric in record.metrics]
    draft = draft_note(results)
    if markdown:
        print("\n".join(markdown_table(table, record.baseline) for table in tables))
        print(markdown_tests(comparisons, record))
        print(draft, end="")
        return
    console = Console()
    width = console.width if console.is_terminal else None
    wide = Console(width=width or UNLIMITED)
    for table in tables:
        tests = [found for found in comparisons if found.metric == table.metric]
        title = f"{table.title}: paired with {record.baseline} over seeds"
        for part in (
            *terminal_table(table, record.baseline, width),
            *terminal_tests(tests, title, width),
        ):
            wide.print(part)
    wide.print(draft, end="")


def draft_note(results: Results) -> str:
    """Say how many runs are drafts; empty where none is."""
    drafts = results.drafts()
    runs = len(results.provenance.runs)
    return f"Draft: {len(drafts)} of {runs} runs are not traceable to a commit.\n" if drafts else ""


def terminal_table(table: Table, baseline: str, width: int | None = None) -> list[RichTable]:
    """Lay a metric's table out for the terminal; the best mean in bold.

    Args:
        table: The metric's table.
        baseline: The variant whose row shows no difference.
        width: Columns of text; a wider table is divided. None for no limit.
    """
    rows = []
    for variant, row in table.cells.items():
        cells = [Text(variant)]
        for column in table.columns:
            cell = Text(row[column].text(table.digits), style="bold" if row[column].best else "")
            delta = "" if variant == baseline else row[column].delta_text(table.digits)
            cells.append(cell.append(f"\n{delta}", style="not bold") if delta else cell)
        rows.append(cells)
    return fitting_tables(table.title, ["variant"], table.columns, rows, width)


def terminal_tests(
    comparisons: Iterable[Comparison], title: str, width: int | None = None
) -> list[RichTable]:
    """Lay the tests of one metric against the baseline out for the terminal."""
    rows = []
    for c in comparisons:
        numbers = [p_text(p) for p in (c.t_p, c.t_p_holm, c.wilcoxon_p, c.wilcoxon_p_holm)]
        cells = [c.group, c.variant, str(c.seeds), f"{c.delta:+.4g}", *numbers, number_text(c.effect, "+.2f")]
        rows.append([Text(cell) for cell in cells])
    heads = ["n", "Δ", "t p", "Holm", "Wilcoxon", "Holm", "d"]
    if not rows:
        return []
    return fitting_tables(title, ["group", "variant"], heads, rows, width)


def fitting_tables(
    title: str, names: list[str], heads: list[str], rows: list[list[Text]], width: int | None
) -> list[RichTable]:
    """Divide a table into parts that fit a width, each with the columns of names; no cell is cut.

    Args:
        title: Title of the first part.
        names: Heads of the columns that every part repeats.
        heads: Heads of the columns of figures.
        rows: Cells, first of the names, then of the figures.
        width: Columns of text; None for no limit.
    """
    all_heads = [*names, *heads]
    sizes = [
        max(
            cell_len(line)
            for text in (all_heads[at], *(row[at].plain for row in rows))
            for line in text.split("\n")
        )
        for at in range(len(all_heads))
    ]
    room = math.inf if width is None else width - sum(size + GAP for size in sizes[: len(names)])
    parts: list[list[int]] = [[]]
    used = 0
    for at in range(len(names), len(all_heads)):
        if parts[-1] and used + sizes[at] + GAP > room:
            parts.append([])
            used = 0
        parts[-1].append(at)
        used += sizes[at] + GAP
    found = []
    for number, part in enumerate(parts):
        shown = RichTable(
            title=title if number == 0 else f"{title} (continued)",
            title_justify="left",
            box=SIMPLE,
            pad_edge=False,
        )
        for name in names:
            shown.add_column(name, overflow="fold")
        for at in part:
            shown.add_column(all_heads[at], justify="right", no_wrap=True, min_width=sizes[at])
        for row in rows:
            shown.add_row(*row[: len(names)], *(row[at] for at in part))
        found.append(shown)
    return found
