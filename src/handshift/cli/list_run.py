"""A run of `handshift hands --by line`: from paths to ranked pairs of entries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.attribution.entry_list import Entry, EntryList
from handshift.calibration.scope_of_pages import scope_lines
from handshift.cli.destination import check_file
from handshift.cli.exits import Exit
from handshift.cli.hands_run import with_progress
from handshift.cli.sheet_files import SheetFiles
from handshift.cli.verdict_output import console, show_failures
from handshift.core.atomic import write_text
from handshift.core.errors import PageError
from handshift.core.terminal_text import one_line
from handshift.page.find_scans import find_scans
from handshift.report.list_report import list_csv, list_json, list_sheet
from handshift.report.notices import notice
from handshift.report.page_report import texts
from handshift.report.run_header import Run

FEWEST_SHOWN, MOST_SHOWN = 5, 25


def run_list(
    paths: Sequence[str],
    unit: str,
    model: str | None,
    same_prior: float | None,
    false_pairs: float,
    json_file: Path | None,
    csv_file: Path | None,
    files: SheetFiles,
    run: Run,
    dpi: float | None = None,
    force: bool = False,
) -> Exit:
    """Compare every two entries of everything the paths lead to, print the pairs and write the results."""
    from handshift.pipeline.list_comparer import EmbeddedEntries, ListComparer, Unit

    for file in filter(None, (json_file, csv_file)):
        check_file(file)
    found = find_scans(paths)
    failures: list[PageError] = list(found.errors)
    comparer = ListComparer(model, unit=Unit(unit), dpi=dpi, force=force)
    pages: list[EmbeddedEntries] = []
    for path in with_progress(found.scans, texts(run.language)["term_reading"]):
        for outcome in comparer.read(path):
            if isinstance(outcome, PageError):
                failures.append(outcome)
            else:
                pages.append(outcome)
    if pages:
        entries = comparer.compare(pages, same_prior)
        _show(console(), entries, false_pairs, run)
        if json_file:
            write_text(json_file, list_json(entries, run.case))
        if csv_file:
            write_text(csv_file, list_csv(entries, run))
        first = entries.entries[0].page
        report = files.write(list_sheet(entries, run, false_pairs), first.source, first.number, "list", run)
        if report:
            text = f"{texts(run.language)['term_report']}: {report}"
            console().print(text, markup=False, soft_wrap=True)
    show_failures(console(error=True), failures, run.language)
    if not pages:
        return Exit.NONE_EXAMINED
    if failures:
        return Exit.SOME_FAILED
    inside = all(entry.scope.inside for page in pages for entry in page.entries)
    return Exit.ALL_EXAMINED if inside else Exit.OUT_OF_SCOPE


def _show(screen: Console, found: EntryList, false_pairs: float, run: Run) -> None:
    t = texts(run.language)
    for said in scope_lines(found.scopes, run.language):
        screen.print(Text(said, "dim" if found.scope.inside else "red"), soft_wrap=True)
    kept = found.within(false_pairs)
    headline = t["list_headline"].format(entries=len(found.entries), pairs=len(kept))
    screen.print(Text(headline, "bold"), soft_wrap=True)
    table = Table(box=None, padding=(0, 2))
    for name in (t["identify_rank"], t["list_entry"], t["list_entry"], "log10 LR", t["list_false"]):
        table.add_column(name, justify="left" if name == t["list_entry"] else "right")
    shown = found.pairs[: min(MOST_SHOWN, max(FEWEST_SHOWN, len(kept)))]
    for rank, pair in enumerate(shown, 1):
        one, two = (_where(found.entries[number - 1], number) for number in pair.entries)
        cells = (str(rank), one, two, f"{pair.log10_lr:+.2f}", f"{pair.false_pairs:.2g}")
        table.add_row(*map(Text, cells))
    screen.print(table)
    for group in found.groups:
        screen.print(Text(f"  {t['list_groups']}: {', '.join(map(str, group))}"), soft_wrap=True)
    comparisons = t["list_comparisons"].format(comparisons=f"{found.comparisons:,}", rate=f"{false_pairs:g}")
    prior = t["doc_prior_pair"].format(same=f"{found.same_prior:.2g}")
    for line in (comparisons, prior, t["list_limit"], t["term_casework"]):
        screen.print(Text(f"  {line}", "dim"), soft_wrap=True)
    for warning in found.warnings:
        said = one_line(notice(warning, run.language))
        screen.print(Text(f"  {t['term_warning']}: {said}", "yellow"), soft_wrap=True)


def _where(entry: Entry, number: int) -> str:
    return f"{number} · {one_line(entry.page.source.name)} {entry.page.number + 1}/{entry.line}"
