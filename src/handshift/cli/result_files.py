"""Everything a run writes: reports, XML, annotations, tables and JSON, each file whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from handshift.attribution.verdict import Verdict
from handshift.cli.annotation_output import AnnotationOutput
from handshift.cli.destination import FileNames, check_file, check_folder
from handshift.cli.findings_journal import FinishedPage
from handshift.cli.xml_output import XmlOutput, xml_outputs
from handshift.core.atomic import write_bytes, write_pieces, write_text
from handshift.core.errors import PageError
from handshift.core.file_folder import is_url
from handshift.core.stored_records import RecordSpool
from handshift.report.findings_record import failure_record, page_record, run_json_pieces
from handshift.report.findings_schema import PageRecord

if TYPE_CHECKING:
    from handshift.report import Run

REPORT_TAG = 8  # digits of the SHA-256 in a report's name: another letter.png never replaces this one's


@dataclass(frozen=True, slots=True)
class OutputPaths:
    """Which results to write, and where."""

    report: Path | None = None
    json: Path | None = None
    page_xml: Path | None = None
    alto: Path | None = None
    tei: Path | None = None
    pdf: bool = False
    """Whether the report is written as PDF beside the HTML."""
    csv: Path | None = None
    annotations: Path | None = None
    annotation_base: str = ""
    """Address at which the folder of annotations will be served."""
    parquet: str | None = None
    """Folder or URL; the journal of the run writes it."""

    @property
    def about_all(self) -> bool:
        """Whether something is written at the end that needs the records of all pages."""
        return bool(self.report or self.json or self.csv)

    def check(self) -> None:
        """Refuse places that cannot be written to before any page is examined."""
        for output in self.xml():
            output.check()
        if self.report:
            check_folder(self.report)
            check_file(self.report / "index.html")
        if self.pdf:
            from handshift.report.pdf import require_typst

            require_typst()
        for file in filter(None, (self.json, self.csv)):
            check_file(file)
        if self.parquet and not is_url(self.parquet):
            check_folder(Path(self.parquet))

    def xml(self) -> list[XmlOutput | AnnotationOutput]:
        """The XML and annotations to write."""
        base = self.annotation_base.rstrip("/") or "urn:handshift"
        annotations = [AnnotationOutput(self.annotations, base)] if self.annotations else []
        return [*xml_outputs(self.page_xml, self.tei, self.alto), *annotations]


@dataclass(slots=True)
class ResultWriter:
    """Writes each page's results as it is finished, and on `close` those about all pages."""

    outputs: OutputPaths
    model: str
    run: Run | None = None
    pages: RecordSpool = field(default_factory=RecordSpool)
    """Kept only where something is written about all pages, and not in memory."""
    examined: int = 0
    """Pages that have a verdict."""
    reports: list[Path] = field(default_factory=list)
    _hrefs: list[str | None] = field(default_factory=list)
    _names: FileNames = field(default_factory=FileNames)
    _xml: list[XmlOutput | AnnotationOutput] = field(init=False)

    def __post_init__(self) -> None:
        self._xml = self.outputs.xml()

    def add(self, outcome: Verdict | PageError) -> FinishedPage:
        """Write one page's files and keep its record; the page itself is released."""
        if isinstance(outcome, PageError):
            record = failure_record(outcome)
            href = None
        else:
            record = page_record(outcome)
            href = self._write_page(outcome)
        self.keep(record, href)
        return FinishedPage(record, href)

    def restore(self, page: FinishedPage, source: Path) -> None:
        """Keep a page of an earlier attempt, whose files are written; the names of its files stay taken."""
        number = page.record["page"] - 1
        if page.record["error"] is None:
            for output in self._xml:
                output.skip(source, number)
        if page.report and self.outputs.report:
            self._names.name(source, number, ".html", (page.record["sha256"] or "")[:REPORT_TAG])
            self.reports.append(self.outputs.report / page.report)
        self.keep(page.record, page.report)

    def keep(self, record: PageRecord, href: str | None = None) -> None:
        """Keep the record of a page whose files are written, or that has none."""
        self.examined += record["error"] is None
        if self.outputs.about_all:
            self.pages.append(record)
            self._hrefs.append(href)

    def close(self, complete: bool = True) -> None:
        """Write a TEI file of all pages, the JSON, and the index once there is a report for it to list."""
        for output in self._xml:
            output.close()
        if self.outputs.json:
            about = self.run.record() if self.run else None
            pieces = run_json_pieces(self.model, self.pages, about, complete)
            write_pieces(self.outputs.json, (piece.encode("utf-8") for piece in pieces))
        if self.outputs.csv:
            from handshift.report.findings_table import findings_csv

            write_text(self.outputs.csv, findings_csv(self.pages, self.run))
        if self.outputs.report and self.run and self.reports:
            from handshift.report import IndexRow, index_html

            rows = [IndexRow.of(record, href) for record, href in zip(self.pages, self._hrefs, strict=True)]
            write_text(self.outputs.report / "index.html", index_html(rows, self.run), private=True)

    def _write_page(self, verdict: Verdict) -> str | None:
        for output in self._xml:
            output.add(verdict.handed)
        if not (self.outputs.report and self.run):
            return None
        from handshift.report import page_html

        page = verdict.page
        path = self.outputs.report / self._names.name(
            page.source, page.number, ".html", page.sha256[:REPORT_TAG]
        )
        check_file(path)
        write_text(path, page_html(verdict, self.run), private=True)
        if self.outputs.pdf:
            from handshift.report.pdf import page_pdf

            write_bytes(path.with_suffix(".pdf"), page_pdf(verdict, self.run), private=True)
        self.reports.append(path)
        return path.name
