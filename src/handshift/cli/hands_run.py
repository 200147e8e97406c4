"""A document from paths to printed hands and written results."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from handshift.atomic import write_text
from handshift.cli.batch import Failure, failure
from handshift.cli.destination import FileNames, check_file
from handshift.cli.exits import Exit
from handshift.cli.findings import console, show_failures
from handshift.cli.hands_shown import show_document
from handshift.evidence.hands.context import PRIOR
from handshift.evidence.hands.document import Document
from handshift.evidence.hands.record import document_json
from handshift.page.finding import find_scans

if TYPE_CHECKING:
    from handshift.document import HandFinder, TellingPage


@dataclass(frozen=True, slots=True)
class HandsWanted:
    """Which results were asked for, and where."""

    json: Path | None = None
    tei: Path | None = None
    page_xml: Path | None = None
    strip: Path | None = None

    def write(self, document: Document) -> None:
        """Write everything asked for, each file whole or not at all."""
        if self.json:
            write_text(self.json, document_json(document))
        if self.tei:
            from handshift.page.tei import write_tei

            write_tei(document.pages, self.tei)
        if self.strip:
            from handshift.evidence.hands.strip import strip_svg

            write_text(self.strip, strip_svg(document.pages))
        if self.page_xml:
            from handshift.page.pagexml_writer import write_page_xml

            names = FileNames()
            for handed in document.pages:
                path = self.page_xml / names.name(handed.page.source, handed.page.number, ".xml")
                check_file(path)
                write_page_xml(handed, path)


def run_hands(
    paths: Sequence[str], wanted: HandsWanted, model: str | None, prior: tuple[float, ...] | None
) -> Exit:
    """Tell the hands of everything the paths lead to, print them, write what is wanted."""
    from handshift.document import HandFinder

    found = find_scans(paths)
    failures = [failure(error.path, error) for error in found.errors]
    finder = HandFinder(model, prior=prior or PRIOR)
    pages: list[TellingPage] = []
    for outcome in _told(finder, found.scans):
        if isinstance(outcome, Failure):
            failures.append(outcome)
        else:
            pages.append(outcome)
    if pages:
        document = finder.document(pages)
        show_document(console(), document)
        wanted.write(document)
    show_failures(console(error=True), failures)
    if not pages:
        return Exit.NONE_EXAMINED
    return Exit.SOME_FAILED if failures else Exit.ALL_EXAMINED


def _told(finder: HandFinder, scans: Sequence[Path]) -> Iterator[TellingPage | Failure]:
    """Every page of every file, or why it is none."""
    from handshift.embedding import pages_of_file

    for path in _shown(scans):
        pages = iter(pages_of_file(path))
        while True:
            try:
                page = next(pages, None)
                if page is None:
                    break
                yield finder.page(page)
            except Exception as error:  # one page nobody foresaw must not stop a codex
                yield failure(path, error)
                break


def _shown(scans: Sequence[Path]) -> Iterator[Path]:
    """The files, with a bar on a terminal when there is more than one."""
    if len(scans) < 2 or not sys.stderr.isatty():
        yield from scans
        return
    from rich.progress import track

    yield from track(scans, "Telling hands", console=console(error=True), transient=True)
