"""Runs of `handshift find` and `handshift clusters`: search, print, write."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from handshift.calibration.verbal_scale import WRITERS, Language
from handshift.cli.destination import check_file
from handshift.cli.verdict_output import console
from handshift.core.atomic import write_text
from handshift.core.counted import counted
from handshift.core.terminal_text import one_line
from handshift.core.version import __version__
from handshift.report.comparison_report import pair_propositions
from handshift.report.page_report import texts
from handshift.report.run_header import Run
from handshift.store.archive_clusters import default_least, shared_hands
from handshift.store.find_hand import FoundPages, HandSearch
from handshift.store.find_report import clusters_html, clusters_record, find_html, find_record

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
    run = _run(search, language)
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
    run, screen = _run(search, language), console()
    if json_file:
        _write_json(json_file, clusters_record(groups, least))
    if html:
        write_text(html, clusters_html(groups, store, least, run), private=True)
    t = texts(language)
    for number, group in enumerate(groups[:MOST_GROUPS], 1):
        title = t["clusters_group"].format(number=number, pages=len(group.members), words=group.words)
        weakest = t["clusters_weakest"].format(weakest=f"{group.weakest:+.2f}")
        screen.print(Text(f"{title} ({weakest})", "bold"), soft_wrap=True)
        for entry, hand in group.members:
            screen.print(Text(f"  {one_line(entry.title)} p.{entry.page}, {hand}"), soft_wrap=True)
    if len(groups) > MOST_GROUPS:
        screen.print(Text(f"… {counted(len(groups) - MOST_GROUPS, 'group')} more; --json has all", "dim"))
    if not groups:
        screen.print(t["clusters_none"])
    screen.print(Text(t["clusters_note"].format(least=f"{least:+.2f}"), "dim"), soft_wrap=True)


def _show(found: FoundPages, store: Path | str, run: Run) -> None:
    screen, t = console(), texts(run.language)
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
            where = f"{one_line(page.entry.title)} p.{page.entry.page}"
            table.add_row(*map(Text, (str(rank), where, page.hand, str(page.words), lr, meaning)))
        screen.print(table)
    else:
        screen.print(t["find_none"])
    pair = pair_propositions(found.propositions, run)
    for line in (pair.one_writer, pair.two_writers, pair.population):
        screen.print(Text(f"  {line}", "dim"), soft_wrap=True)


def _run(search: HandSearch, language: Language) -> Run:
    card = search.comparer.model
    return Run(card, datetime.now().astimezone(), {"model": card.id}, language)


def _check(*files: Path | None) -> None:
    for file in filter(None, files):
        check_file(file)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps({"handshift": __version__, **content}, ensure_ascii=False, indent=1) + "\n")
