"""Runs of `handshift find` and `handshift clusters`: search, print, write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.verbal_scale import WRITERS, Language
from handshift.cli.destination import check_file
from handshift.cli.sheet_files import report_run
from handshift.cli.verdict_output import console
from handshift.core.atomic import write_text
from handshift.core.terminal_text import one_line
from handshift.core.version import __version__
from handshift.report.comparison_report import pair_propositions
from handshift.report.page_report import texts
from handshift.report.run_header import Run
from handshift.store.archive_clusters import default_least, shared_hands
from handshift.store.find_hand import FoundPages, HandSearch
from handshift.store.find_report import clusters_html, clusters_record, find_html, find_record, query_notes
from handshift.store.page_entry import PageEntry

MOST_GROUPS = 40


def run_find(
    page: str,
    hand: str | None,
    store: Path | str,
    count: int,
    json_file: Path | None,
    html: Path | None,
    model: str | None,
    language: Language,
    dpi: float | None = None,
) -> None:
    """Look for a hand, print the ranked list and write it."""
    _check(json_file, html)
    search = HandSearch(store, model, dpi=dpi)
    found = search.find(search.query(page, hand), count)
    run = report_run(model, {}, language, None, {})
    if json_file:
        _write_json(json_file, find_record(found))
    if html:
        write_text(html, find_html(found, store, run), private=True)
    _show(found, store, run)  # last: the reader of a pipe may leave


def run_clusters(
    store: Path | str,
    least: float | None,
    json_file: Path | None,
    html: Path | None,
    model: str | None,
    language: Language,
) -> None:
    """Group the hands of a store, print the groups and write them."""
    _check(json_file, html)
    search = HandSearch(store, model)
    least = default_least(search) if least is None else least
    groups = shared_hands(search, least)
    run, screen = report_run(model, {}, language, None, {}), console()
    propositions = search.comparer.same_writer.calibration.propositions
    if json_file:
        _write_json(json_file, clusters_record(groups, least, propositions, run.card.id))
    if html:
        write_text(html, clusters_html(groups, store, least, propositions, run), private=True)
    t = texts(language)
    for number, group in enumerate(groups[:MOST_GROUPS], 1):
        title = t["clusters_group"].format(number=number, pages=group.pages, words=group.words)
        weakest = t["clusters_weakest"].format(weakest=f"{group.weakest:+.2f}")
        screen.print(Text(f"{title} ({weakest})", "bold"), soft_wrap=True)
        for entry, hand in group.members:
            screen.print(Text(f"  {_place(entry, t)}, {t['hand']} {hand}"), soft_wrap=True)
    if len(groups) > MOST_GROUPS:
        more = t["clusters_more"].format(count=len(groups) - MOST_GROUPS)
        screen.print(Text(f"  {more}", "dim"))
    if not groups:
        screen.print(t["clusters_none"])
    screen.print(Text(t["clusters_note"].format(least=f"{least:+.2f}"), "dim"), soft_wrap=True)
    _show_propositions(screen, propositions, run)


def _show(found: FoundPages, store: Path | str, run: Run) -> None:
    screen, t = console(), texts(run.language)
    for note in query_notes(found.query, run.language):
        screen.print(Text(f"{t['term_warning']}: {one_line(note)}", "yellow"), soft_wrap=True)
    compared = t["find_compared"].format(compared=found.compared, hands=found.hands, store=store)
    screen.print(Text(compared), soft_wrap=True)
    if found.pages:
        table = Table(box=None, padding=(0, 2))
        for name, justify in (("#", "right"), (t["file"], "left"), (t["find_hand"], "left")):
            table.add_column(name, justify="right" if justify == "right" else "left", overflow="fold")
        for name in (t["words"], "log10 LR"):
            table.add_column(name, justify="right")
        table.add_column(t["meaning"])
        for rank, page in enumerate(found.pages, 1):
            withheld = page.scope.withheld
            lr = "–" if withheld else f"{page.log10_lr:+.2f}"
            support = run.scale.support(page.log10_lr, run.language, WRITERS)
            meaning = t["scope_withheld"] if withheld else support
            where = _place(page.entry, t)
            hand = page.hand or t["find_all_hands"]
            table.add_row(*map(Text, (str(rank), where, hand, str(page.words), lr, meaning)))
        screen.print(table)
    else:
        screen.print(t["find_none"])
    _show_propositions(screen, found.propositions, run)


def _place(entry: PageEntry, t: dict[str, str]) -> str:
    """The file, and the page where it is not the first."""
    return one_line(entry.title) + (f", {t['page']} {entry.page}" if entry.page > 1 else "")


def _show_propositions(screen: Console, propositions: PairPropositions, run: Run) -> None:
    t, said = texts(run.language), pair_propositions(propositions, run)
    named = (
        (t["pair_one"], said.one_writer),
        (t["pair_two"], said.two_writers),
        (t["term_population"], said.population),
    )
    for name, text in named:
        screen.print(Text(f"  {name}: {text}", "dim"), soft_wrap=True)
    screen.print(Text(f"  {t['term_casework']}", "dim"))


def _check(*files: Path | None) -> None:
    for file in filter(None, files):
        check_file(file)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps({"handshift": __version__, **content}, ensure_ascii=False, indent=1) + "\n")
