"""A report's sentences and tables on the terminal, in the language of the run."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.core.terminal_text import one_line
from handshift.report.notices import notice
from handshift.report.page_report import texts
from handshift.report.run_header import Run
from handshift.report.sheet import Picture, Section, Sheet

MOST_ROWS = 24


def show_sheet(screen: Console, sheet: Sheet, run: Run) -> None:
    """Print headline, sentences, warnings and every table; pictures are left to the report."""
    t = texts(run.language)
    for line in sheet.scope_lines(run.language):
        screen.print(Text(line, "dim" if sheet.scope.inside else "red"), soft_wrap=True)
    screen.print(Text(one_line(sheet.headline), "bold"), soft_wrap=True)
    for warning in sheet.warnings:
        said = one_line(notice(warning, run.language))
        screen.print(Text(f"  {t['term_warning']}: {said}", "yellow"), soft_wrap=True)
    for section in sheet.sections:
        _show_section(screen, section, t)
    for sentence in sheet.sentences:
        screen.print(Text(f"  {one_line(sentence)}", "dim"), soft_wrap=True)
    screen.print(Text(f"  {t['term_casework']}", "dim"))


def _show_section(screen: Console, section: Section, t: dict[str, str]) -> None:
    rows = [row for row in section.rows if not any(isinstance(value, Picture) for value in row)]
    if rows:
        table = Table(box=None, padding=(0, 2))
        for name in section.header:
            table.add_column(name)
        for row in rows[:MOST_ROWS]:
            table.add_row(*(Text(one_line(str(value))) for value in row))
        screen.print(table)
        if len(rows) > MOST_ROWS:
            screen.print(Text(f"  {t['term_more_rows'].format(count=len(rows) - MOST_ROWS)}", "dim"))
    for sentence in section.sentences:
        screen.print(Text(f"  {section.heading}: {one_line(sentence)}", "dim"), soft_wrap=True)
