"""handshift identify: rank the people of a gallery as writers of a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import (
    CaseOption,
    CsvOption,
    ExaminerOption,
    ExhibitOption,
    ForceOption,
    LanguageOption,
    ModelOption,
    NoteOption,
    ReportFolderOption,
    ReportPdfOption,
    ResolutionOption,
    ResumeOption,
    VerbalScaleOption,
    case_record,
)
from handshift.core.terminal_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from handshift.attribution.identification import Identification
    from handshift.cli.sheet_files import SheetFiles
    from handshift.report.run_header import Run


def identify(
    pages: Annotated[
        list[Path],
        typer.Argument(metavar="PAGE…", help="Pages, or folders each of one person's."),
    ],
    gallery: Annotated[Path, typer.Option(metavar="FOLDER", help="A gallery made by `handshift enroll`.")],
    top: Annotated[int, typer.Option(min=1, help="How many to list.")] = 5,
    prior: Annotated[
        float,
        typer.Option(
            "--prior-enrolled",
            help="Prior probability that the writer is enrolled, uniform over the enrolled.",
        ),
    ] = 0.5,
    false_accepts: Annotated[
        float,
        typer.Option(help="Share of pages by people not enrolled that may be given a name."),
    ] = 0.01,
    aggregation: Annotated[
        Literal["mean", "attention"], typer.Option(help="How a person's words become one prototype.")
    ] = "mean",
    search: Annotated[
        Literal["exact", "faiss"],
        typer.Option(help="faiss for galleries of very many (needs `search` extra)."),
    ] = "exact",
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the whole rank lists as JSON.")
    ] = None,
    csv_file: CsvOption = None,
    out: ReportFolderOption = None,
    pdf: ReportPdfOption = False,
    case: CaseOption = "",
    exhibit: ExhibitOption = "",
    examiner: ExaminerOption = "",
    note: NoteOption = "",
    scale: VerbalScaleOption = None,
    lang: LanguageOption = Language.en,
    dpi: ResolutionOption = None,
    force: ForceOption = False,
    resume: ResumeOption = True,
    model: ModelOption = None,
) -> None:
    """Rank the people in a gallery by how well their hands explain a page.

    Prints whether the best candidate passes the open-set threshold. The confidence is a posterior
    probability at the stated prior; one minus their sum is the probability that nobody enrolled wrote it.

    Example: handshift identify unsigned.png --gallery family
    """
    from handshift.cli.destination import check_file
    from handshift.cli.exits import Exit
    from handshift.cli.sheet_files import SheetFiles, report_run
    from handshift.cli.sheet_output import show_sheet
    from handshift.cli.verdict_output import console, pages_kept
    from handshift.core.atomic import write_text
    from handshift.core.errors import PageError
    from handshift.core.run_journal import digest_of, journal_beside
    from handshift.embedding.gallery import TABLE
    from handshift.embedding.nearest import Search
    from handshift.embedding.prototypes import Aggregation
    from handshift.pipeline.identifier import Assumed, Identifier
    from handshift.report.identification_report import identification_sheet
    from handshift.report.page_report import texts
    from handshift.report.problems import problem

    assumed = Assumed(prior, false_accepts)
    files = SheetFiles(out, pdf)
    files.check()
    settings = {"gallery": str(gallery), "prior": f"{prior:g}", "false accepts": f"{false_accepts:g}"}
    run = report_run(model, settings, lang, scale, case_record(case, exhibit, examiner, note))
    for file in filter(None, (json_file, csv_file)):
        check_file(file)
    identifier = Identifier(
        gallery,
        model,
        aggregation=Aggregation(aggregation),
        search=Search(search),
        force=force,
        dpi=dpi,
    )
    records: list[dict[str, Any]] = []
    screen, found, restored = console(), None, 0
    depends: list[object] = [digest_of(gallery / TABLE), identifier.fingerprint, prior, false_accepts]
    depends += [aggregation, search, force, lang.value, str(out), pdf, dpi]
    with journal_beside(json_file or csv_file, out, {"identify": depends}, resume=resume) as journal:
        for page in pages:
            earlier = journal.earlier(page)[0] if journal else []
            if earlier:
                records.append(earlier[0])
                restored += 1
                continue
            try:
                found = identifier.identify(page, assumed)
            except PageError as error:
                said = f"{one_line(error.named)}: {one_line(problem(error.problem, lang))}"
                print(f"{texts(lang)['term_not_identified']}: {said}", file=sys.stderr)
                records.append({"path": _readable(page), "error": _readable(error)})
            else:
                if lang is Language.en:
                    _show(screen, page, found, top)
                else:
                    show_sheet(screen, identification_sheet(found, [], str(page), run), run)
                records.append(_record(page, found))
                if out:
                    _report(page, found, files, run, screen)
            if journal:
                journal.add(records[-1], page, digest_of(page))
        if json_file:
            write_text(json_file, _json(gallery, records, run.case))
        if csv_file:
            from handshift.report.identification_table import identification_csv

            write_text(csv_file, identification_csv(records, run))
        if journal:
            journal.finish()
    if restored:
        pages_kept(restored, lang)
    if found and lang is Language.en:
        _explain(screen, found)
    failed = sum("error" in record for record in records)
    if failed:
        raise typer.Exit(Exit.SOME_FAILED if failed < len(records) else Exit.NONE_EXAMINED)
    if not all(record["scope"]["inside"] for record in records):
        raise typer.Exit(Exit.OUT_OF_SCOPE)


def _report(page: Path, found: Identification, files: SheetFiles, run: Run, screen: Console) -> None:
    from handshift.core.errors import PageError
    from handshift.pipeline.read_pages import existing_scans, read_pages
    from handshift.report.identification_report import MOST_PAGES, identification_sheet
    from handshift.report.page_report import texts

    shown = [
        one
        for scan in existing_scans(page)[:MOST_PAGES]
        for one in read_pages(scan)
        if not isinstance(one, PageError)
    ]
    sheet = identification_sheet(found, shown, str(page), run)
    path = files.write(sheet, page, 0, "identify", run)
    screen.print(f"{texts(run.language)['term_report']}: {path}", markup=False, soft_wrap=True)


def _show(screen: Console, page: Path, found: Identification, top: int) -> None:
    from rich.table import Table
    from rich.text import Text

    answer = one_line(found.accepted or f"nobody enrolled (nearest: {found[0].name})")
    line = Text(f"{one_line(page)}: ")
    line.append(answer, "bold")
    if headline := found.scope.headline():
        screen.print(Text(headline, "dim" if found.scope.inside else "red"), soft_wrap=True)
    screen.print(line, soft_wrap=True)
    for warning in found.warnings:
        screen.print(Text(f"  warning: {warning}", "yellow"), soft_wrap=True)
    table = Table(box=None, padding=(0, 2))
    for heading in ("rank", "name", "log10 LR", "confidence"):
        table.add_column(heading, justify="left" if heading == "name" else "right")
    for rank, candidate in enumerate(found.candidates[:top], 1):
        cells = (
            str(rank),
            one_line(candidate.name),
            f"{candidate.log10_lr:+.2f}",
            f"{candidate.confidence:.3f}",
        )
        table.add_row(*map(Text, cells))
    table.add_row("", Text("none of the enrolled", "italic"), "", f"{found.none:.3f}")
    screen.print(table)


def _explain(screen: Console, found: Identification) -> None:
    """Print threshold, prior, propositions and population, without which the figures mean nothing."""
    for line in str(found).splitlines()[1:]:
        if not line.startswith("  warning"):
            screen.print(line, markup=False, soft_wrap=True)
    screen.print("  Not validated for casework.", style="dim")


def _record(page: Path, found: Identification) -> dict[str, Any]:
    from dataclasses import asdict

    record = asdict(found) | {"scope": found.scope.record()}
    ranked = [{"rank": rank, **one} for rank, one in enumerate(record.pop("candidates"), 1)]
    return {"path": _readable(page), **record, "candidates": ranked}


def _json(gallery: Path, records: list[dict[str, Any]], case: dict[str, str]) -> str:
    import json

    from handshift.core.version import __version__

    content = {"handshift": __version__, "gallery": _readable(gallery), "case": case, "pages": records}
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _readable(value: object) -> str:
    from handshift.report.findings_record import readable

    return readable(str(value))
