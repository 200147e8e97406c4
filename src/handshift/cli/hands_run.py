"""A run of `handshift hands`: from paths to printed hands and written results."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.attribution.document import Document, HandedPage
from handshift.attribution.hand_count_calibration import PRIOR
from handshift.attribution.hand_links import HandLink
from handshift.attribution.link_prior import EVEN
from handshift.calibration.verbal_scale import Language
from handshift.cli.destination import check_file
from handshift.cli.exits import Exit
from handshift.cli.verdict_output import console, pages_kept, show_failures
from handshift.cli.xml_output import xml_outputs
from handshift.core.atomic import write_text
from handshift.core.errors import BlankPageError, NoWritingError, PageError
from handshift.core.number_ranges import number_ranges
from handshift.core.run_journal import RunJournal, error_entry, error_of, journal_beside
from handshift.core.terminal_text import one_line
from handshift.core.version import __version__
from handshift.page.find_scans import find_scans
from handshift.page.word_kind import WordKind
from handshift.page.word_overlay import hand_colour
from handshift.report.document_record import document_json
from handshift.report.page_report import texts

if TYPE_CHECKING:
    from handshift.cli.sheet_files import SheetFiles
    from handshift.pipeline.hand_finder import HandFinder, UnlinkedPage
    from handshift.report.run_header import Run


MOST_CHANGES = 40
MOST_LINKS = 24
UNSURE = 0.75
"""Below, a word's letter is small in the strip."""


def show_document(screen: Console, document: Document) -> None:
    """Print how much each hand wrote, each page's strip, the changes, the prior and the population."""
    scope = document.scope_lines()
    for said_first in scope:
        screen.print(Text(said_first, "dim" if document.scope.inside else "red"), soft_wrap=True)
    said = str(document).splitlines()[len(scope) :]
    screen.print(Text(said[0], "bold"), soft_wrap=True)
    screen.print(_hands(document))
    screen.print(_pages(document))
    for number, page in enumerate(document.pages, 1):
        screen.print(strip(number, page), soft_wrap=True)
    changes = list(islice(document.changes, MOST_CHANGES + 1))
    for change in changes[:MOST_CHANGES]:
        where = f"page {change.page}, line {change.line}, word {change.word}"
        screen.print(Text(f"  {where}: {change.before} → {change.after} ({change.certainty:.2f})"))
    if len(changes) > MOST_CHANGES:
        screen.print(Text("  and more; --json lists every change", "dim"))
    for line in _links(document):
        screen.print(line, soft_wrap=True)
    for sentence in said[1:]:
        screen.print(Text(sentence, "dim"), soft_wrap=True)
    screen.print(Text("  Not validated for casework.", "dim"))


def strip(number: int, page: HandedPage) -> Text:
    """One letter a word, small where its hand is not certain; lines separated by bars."""
    line = Text(f"p. {number:<4}")
    words = list(zip(page.page.words, page.hands, page.certainty, strict=True))
    for _, members in groupby(words, key=lambda row: row[0].line):
        for word, hand, certainty in members:
            if word.kind is not WordKind.WRITING:
                line.append("·", "dim")
                continue
            red, green, blue = hand_colour(hand)
            letter = hand if certainty >= UNSURE else hand.lower()
            line.append(letter, f"rgb({red},{green},{blue})" + (" bold" if hand != "A" else ""))
        line.append("|", "dim")
    return line


def _links(document: Document) -> Iterator[Text]:
    """Each hand of each page against the rest of its writer's, and what the prior or other pages decided."""
    for link in document.links[:MOST_LINKS]:
        yield Text(f"  page {link.page}, {_link(link)}", "yellow" if link.turned else "")
    if len(document.links) > MOST_LINKS:
        yield Text("  and more; --json lists every link and every pair of pages", "dim")
    turned = document.turned
    for pair in turned[:MOST_LINKS]:
        one, two = pair.pages
        joined = "joined" if pair.hands[0] == pair.hands[1] else "set apart"
        yield Text(
            f"  pages {one} and {two} compared by themselves: log10 LR {pair.log10_lr:+.2f}; "
            f"{joined} by the prior or by other pages",
            "yellow",
        )
    if len(turned) > MOST_LINKS:
        yield Text(f"  and {len(turned) - MOST_LINKS} more such pairs", "dim")


def _link(link: HandLink) -> str:
    how = "linked with" if link.linked else "not linked; most like"
    weak = ", weak" if link.weak else ""
    decided = ", decided by the prior or by other pages" if link.turned else ""
    pages = "the other pages of " if link.linked else ""
    if link.withheld:
        return f"hand {link.hand}: {how} {pages}{link.to}, no ratio outside of what was validated"
    return f"hand {link.hand}: {how} {pages}{link.to}, log10 LR {link.log10_lr:+.2f}{weak}{decided}"


def _hands(document: Document) -> Table:
    table = Table(box=None, padding=(0, 2))
    for name in ("hand", "words", "share", "pages"):
        table.add_column(name, justify="left" if name in ("hand", "pages") else "right")
    total = sum(document.hands.values())
    for hand, count in document.hands.items():
        on = number_ranges(document.pages_of(hand))
        table.add_row(*map(Text, (hand, str(count), f"{count / total:.0%}", on)))
    return table


def _pages(document: Document) -> Table:
    table = Table(box=None, padding=(0, 2))
    table.add_column("page", justify="right")
    table.add_column("file")
    for number in range(1, len(document.prior) + 1):
        table.add_column(f"P({number})", justify="right")
    table.add_column("hands")
    for number, page in enumerate(document.pages, 1):
        shares = [f"{share:.2f}" for share in page.number]
        table.add_row(
            *map(
                Text, (str(number), one_line(page.page.source.name), *shares, " ".join(sorted(page.present)))
            )
        )
    return table


@dataclass(frozen=True, slots=True)
class HandsOutputs:
    """Which results to write, and where."""

    json: Path | None = None
    tei: Path | None = None
    page_xml: Path | None = None
    strip: Path | None = None
    alto: Path | None = None
    csv: Path | None = None

    def check(self) -> None:
        """Refuse places that cannot be written to before any page is read."""
        for file in filter(None, (self.json, self.csv, self.strip)):
            check_file(file)
        for output in xml_outputs(self.page_xml, self.tei, self.alto):
            output.check()

    @property
    def journalled(self) -> Path | None:
        """The first of the files to be written, beside which the journal lies."""
        files = (self.json, self.csv, self.strip, self.tei, self.page_xml, self.alto)
        return next(filter(None, files), None)

    def write(self, document: Document, others: Sequence[PageError], run: Run) -> None:
        """Write the results, each file whole or not at all; ``others`` are blank and failed pages."""
        if self.json:
            write_text(self.json, document_json(document, others, run.case))
        if self.csv:
            from handshift.report.document_table import document_csv

            write_text(self.csv, document_csv(document, others, run))
        if self.strip:
            from handshift.report.strip import strip_svg

            write_text(self.strip, strip_svg(document.pages))
        for output in xml_outputs(self.page_xml, self.tei, self.alto):
            for page in document.pages:
                output.add(page)
            output.close()


def run_hands(
    paths: Sequence[str],
    outputs: HandsOutputs,
    files: SheetFiles,
    run: Run,
    model: str | None,
    prior: tuple[float, ...] | None,
    force: bool = False,
    same_prior: float = EVEN,
    resume: bool = True,
    dpi: float | None = None,
    read: bool = False,
) -> Exit:
    """Find the hands of everything the paths lead to, print them and write the results."""
    from handshift.pipeline.hand_finder import HandFinder

    language = run.language
    found = find_scans(paths)
    failures, blank, no_writing = list(found.errors), list[PageError](), list[PageError]()
    finder = HandFinder(model, prior=prior or PRIOR, force=force, same_prior=same_prior, dpi=dpi)
    pages: list[UnlinkedPage] = []
    settings = {"hands": __version__, "model": finder.fingerprint, "force": force, "dpi": dpi}
    with journal_beside(outputs.journalled, files.out, settings, resume=resume) as journal:
        restored = 0
        for path in with_progress(found.scans, texts(language)["term_finding"]):
            for outcome, kept in _outcomes(finder, path, journal):
                restored += kept
                if isinstance(outcome, BlankPageError):
                    blank.append(outcome)
                elif isinstance(outcome, NoWritingError):
                    no_writing.append(outcome)
                elif isinstance(outcome, PageError):
                    failures.append(outcome)
                else:
                    pages.append(outcome)
        if restored:
            pages_kept(restored, language)
        if pages:
            document = finder.link(pages)
            if language is Language.en:
                show_document(console(), document)
            else:
                from handshift.cli.sheet_output import show_sheet
                from handshift.report.document_report import document_sheet

                show_sheet(console(), document_sheet(document, run), run)
            outputs.write(document, [*blank, *no_writing, *failures], run)
            if files.out:
                from handshift.report.document_report import document_sheet

                document = _read(document) if read else document
                first = document.pages[0].page
                place = files.write(document_sheet(document, run), first.source, first.number, "hands", run)
                said = texts(run.language)["term_report"]
                console().print(f"{said}: {place}", markup=False, soft_wrap=True)
        if journal:
            journal.finish()
    show_failures(console(error=True), [*blank, *no_writing, *failures], language)
    if not pages and not no_writing:
        return Exit.NONE_EXAMINED
    if failures:
        return Exit.SOME_FAILED
    inside = all(page.embedded.scope.inside for page in pages)
    return Exit.ALL_EXAMINED if inside and not no_writing else Exit.OUT_OF_SCOPE


def _read(document: Document) -> Document:
    from handshift.page.ocr import Reader
    from handshift.pipeline.read_document import with_texts

    return with_texts(document, Reader())


def _outcomes(
    finder: HandFinder, path: Path, journal: RunJournal | None
) -> Iterator[tuple[UnlinkedPage | PageError, bool]]:
    """The pages of a file, each with whether it was kept from an earlier attempt."""
    from handshift.pipeline.embedded_record import page_from_record, page_to_record

    earlier, ended = journal.earlier(path) if journal else ([], False)
    for entry in earlier:
        if "error" in entry:
            yield error_of(entry["error"], path), True
        else:
            yield finder.analyse(page_from_record(entry["page"], path, entry["sha256"])), True
    if ended:
        return
    sha256 = earlier[-1]["sha256"] if earlier else None
    for outcome in finder.find_pages(path, len(earlier)):
        if isinstance(outcome, PageError):
            sha256, entry = outcome.sha256, {"error": error_entry(outcome)}
        else:
            sha256, entry = outcome.embedded.page.sha256, {"page": page_to_record(outcome.embedded)}
        if journal:
            journal.add(entry | {"sha256": sha256}, path, sha256)
        yield outcome, False
    if journal:
        journal.end_file(path, sha256)


def with_progress(scans: Sequence[Path], task: str) -> Iterator[Path]:
    """The files, with a bar on a terminal when there is more than one."""
    if len(scans) < 2 or not sys.stderr.isatty():
        yield from scans
        return
    from rich.progress import track

    yield from track(scans, task, console=console(error=True), transient=True)
