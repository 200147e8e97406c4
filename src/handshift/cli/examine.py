"""Examine pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.engine_options import AddressOption, EngineOption, WorkersOption, engine_choice
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
    ResumeOption,
    TeiOption,
    VerbalScaleOption,
    case_record,
)
from handshift.core.errors import HandshiftError


def examine(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Scans, PDFs, folders or patterns; IIIF, METS, zip, URLs."),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the HTML report.")] = Path(
        "handshift-report"
    ),
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no HTML report.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all findings as JSON.")
    ] = None,
    page_xml: PageXmlOption = None,
    alto: AltoOption = None,
    tei: TeiOption = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Write each page's report as PDF too.")] = False,
    read: Annotated[
        bool | None,
        typer.Option(
            "--read/--no-read",
            help="Read the words of pages by several hands, to show equal ones side by side. "
            "Without a choice they are read where a report is wanted and the `ocr` extra is installed.",
            show_default=False,
        ),
    ] = None,
    csv_file: CsvOption = None,
    annotations: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write IIIF annotations: a page of them for each canvas, and a manifest that lists them.",
        ),
    ] = None,
    annotation_base: Annotated[
        str,
        typer.Option(metavar="URL", help="Address at which the folder of annotations will be served."),
    ] = "",
    parquet: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the findings of a corpus as partitioned Parquet, to a folder or a URL (s3://…), "
            "instead of reports and JSON.",
        ),
    ] = None,
    case: CaseOption = "",
    exhibit: ExhibitOption = "",
    examiner: ExaminerOption = "",
    note: NoteOption = "",
    resume: ResumeOption = True,
    force: ForceOption = False,
    scale: VerbalScaleOption = None,
    model: ModelOption = None,
    cut: Annotated[
        str | None,
        typer.Option(
            help="What one file holds: page, or word, where each folder of word pictures is a document. "
            "Without a choice, what the model was calibrated on.",
        ),
    ] = None,
    lang: LanguageOption = Language.en,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    address: AddressOption = None,
) -> None:
    """Find the words that another hand wrote.

    Prints one line for each page and a table of the words that are set apart, and writes a report that opens
    in any browser. PAGE-XML or ALTO beside a scan is used as its segmentation. A page that cannot be examined
    is listed at the end and does not stop the others.

    Example: handshift examine letters/ will.pdf --json findings.json

    Example: handshift examine words-of-a-letter/ --model runs/my-model

    An archive: handshift examine scans/ --workers 8 --parquet findings/

    Exit codes:

    - 0: all pages were examined
    - 1: some pages could not be examined, the others were
    - 2: wrong usage
    - 3: no page could be examined
    - 4: a result could not be written
    - 5: all pages were examined, some lie outside of what was validated or show no handwriting
    - 130: interrupted; what was finished is kept
    - 141: the output was closed, as by `| head`; what was finished is kept
    """
    # Here and not above, so that --help does not wait for numpy.
    from handshift.calibration.verbal_scale import Scale
    from handshift.cli.examine_options import ExamineOptions
    from handshift.cli.examine_run import run_examination
    from handshift.cli.result_files import OutputPaths
    from handshift.models.shipped_models import find_model
    from handshift.page.ocr import can_read

    try:
        find_model(model)
    except HandshiftError as error:
        raise typer.BadParameter(str(error), param_hint="--model") from error
    if parquet and (json_file or csv_file or pdf):
        raise typer.BadParameter("is for corpora; leave --json, --csv and --pdf out", param_hint="--parquet")
    no_report = no_report or parquet is not None
    if pdf and no_report:
        raise typer.BadParameter("a PDF is a report; leave --no-report out", param_hint="--pdf")
    outputs = OutputPaths(
        report=None if no_report else out,
        json=json_file,
        page_xml=page_xml,
        alto=alto,
        tei=tei,
        pdf=pdf,
        csv=csv_file,
        annotations=annotations,
        annotation_base=annotation_base,
        parquet=parquet,
    )
    read = can_read() and not no_report if read is None else read
    noted = case_record(case, exhibit, examiner, note)
    if cut not in (None, "page", "word"):
        raise typer.BadParameter("choose page or word", param_hint="--cut")
    chosen = engine_choice(engine, workers, address)
    options = ExamineOptions(model, lang, Scale.load(scale), read, resume, force, noted, cut, chosen)
    raise typer.Exit(run_examination(paths, outputs, options))
