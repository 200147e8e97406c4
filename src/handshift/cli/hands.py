"""handshift hands: the hands of a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import (
    AltoOption,
    CaseOption,
    CsvOption,
    ExaminerOption,
    ExhibitOption,
    ForceOption,
    LanguageOption,
    ModelOption,
    NoteOption,
    PageXmlOption,
    ReportFolderOption,
    ReportPdfOption,
    ResolutionOption,
    ResumeOption,
    TeiOption,
    VerbalScaleOption,
    case_record,
)


def hands(
    paths: Annotated[
        list[str], typer.Argument(metavar="PAGE", help="Scans, PDFs or folders of one document.")
    ],
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all that was found as JSON.")
    ] = None,
    csv_file: CsvOption = None,
    tei: TeiOption = None,
    page_xml: PageXmlOption = None,
    alto: AltoOption = None,
    strip: Annotated[
        Path | None, typer.Option("--strip", metavar="FILE", help="Draw the strip chart as SVG.")
    ] = None,
    prior: Annotated[
        str, typer.Option(metavar="P1,…,P5", help="Chance of 1 to 5 hands on a page, before it is seen.")
    ] = "",
    same_prior: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Chance that one person wrote two given pages, before they are seen; even by default. In a "
            "list, of two given entries; by default one pair in the list is expected.",
        ),
    ] = None,
    by: Annotated[
        Literal["page", "line", "file"],
        typer.Option(help="page: one document; line or file: a list, each entry perhaps by another person."),
    ] = "page",
    false_pairs: Annotated[
        float,
        typer.Option(min=0, help="In a list: show pairs until so many false ones are expected."),
    ] = 1.0,
    out: ReportFolderOption = None,
    pdf: ReportPdfOption = False,
    read: Annotated[
        bool | None,
        typer.Option(
            "--read/--no-read",
            help="Read words of each hand, to lay equal ones over each other in the report. Without a choice "
            "they are read where a report is wanted and the `ocr` extra is installed.",
            show_default=False,
        ),
    ] = None,
    case: CaseOption = "",
    exhibit: ExhibitOption = "",
    examiner: ExaminerOption = "",
    note: NoteOption = "",
    scale: VerbalScaleOption = None,
    lang: LanguageOption = Language.en,
    resume: ResumeOption = True,
    dpi: ResolutionOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
) -> None:
    """Find the hands of a document: how many, which words, and where one takes over.

    All pages are taken as one document, in the order given; hands are linked across its pages, and A is the
    hand that wrote most. Every link is printed with its log10 LR. A page that cannot be read is listed
    at the end and does not stop the others. With --by line every line or table row of a petition or signature
    sheet is an entry, with --by file every cropped file, and the pairs that one person may have written are
    ranked.

    Example: handshift hands codex/ --tei codex.tei.xml --strip codex.svg

    Example: handshift hands petition.pdf --by line --out report
    """
    from handshift.attribution.link_prior import EVEN
    from handshift.cli.hands_run import HandsOutputs, run_hands
    from handshift.cli.list_run import run_list
    from handshift.cli.sheet_files import SheetFiles, report_run
    from handshift.page.ocr import can_read

    shares = _shares(prior)
    wanted = read if read is not None else bool(out) and can_read()
    outputs = HandsOutputs(json_file, tei, page_xml, strip, alto, csv_file)
    outputs.check()
    files = SheetFiles(out, pdf)
    files.check()
    same = f"{same_prior:g}" if same_prior is not None else "default"
    settings = {"by": by, "prior of one writer": same, "language": lang.value}
    run = report_run(model, settings, lang, scale, case_record(case, exhibit, examiner, note))
    if by != "page":
        if tei or page_xml or alto or strip or prior:
            raise typer.BadParameter("a list has a report, JSON and CSV only", param_hint="--by")
        raise typer.Exit(
            run_list(paths, by, model, same_prior, false_pairs, json_file, csv_file, files, run, dpi, force)
        )
    prior_of_one = EVEN if same_prior is None else same_prior
    raise typer.Exit(
        run_hands(paths, outputs, files, run, model, shares, force, prior_of_one, resume, dpi, wanted)
    )


def _shares(text: str) -> tuple[float, ...] | None:
    if not text:
        return None
    try:
        return tuple(float(share) for share in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r}: give five numbers separated by commas", param_hint="--prior"
        ) from error
