"""handshift verify: the likelihood ratio of one writer against two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift import Contents
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
    VerbalScaleOption,
    case_record,
)

if TYPE_CHECKING:
    from handshift.attribution.comparison import Comparison
    from handshift.report import Run


def verify(
    a: Annotated[Path, typer.Argument(metavar="A", help="A page, or a folder of one person's pages.")],
    b: Annotated[Path | None, typer.Argument(metavar="[B]", help="Another; leave out with --known.")] = None,
    known: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Known samples of one person, to compare A with."),
    ] = None,
    cut: Annotated[
        Contents, typer.Option(help="What one file holds: a page, one word, or any picture.")
    ] = "page",
    out: ReportFolderOption = None,
    pdf: ReportPdfOption = False,
    read: Annotated[
        bool | None,
        typer.Option(
            "--read/--no-read",
            help="Read the words, to lay equal ones over each other in the report. Without a choice they are "
            "read where a report is wanted and the `ocr` extra is installed.",
            show_default=False,
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the comparison as JSON.")
    ] = None,
    csv_file: CsvOption = None,
    case: CaseOption = "",
    exhibit: ExhibitOption = "",
    examiner: ExaminerOption = "",
    note: NoteOption = "",
    dpi: ResolutionOption = None,
    force: ForceOption = False,
    scale: VerbalScaleOption = None,
    model: ModelOption = None,
    lang: LanguageOption = Language.en,
) -> None:
    """Weigh whether one person wrote both.

    Each side is examined first: where it shows more than one hand, the output says so and compares hand by
    hand as well. Pages that cannot be read are warnings. With --known, all pages of a person are used with
    their own variation, and the output says how often another writer would agree as well. The exit code is 5
    where a side lies outside of what was validated.

    Example: handshift verify letter.png diary.png --out comparison

    Example: handshift verify questioned.png --known anna/
    """
    from datetime import datetime

    from handshift.calibration.verbal_scale import Scale
    from handshift.cli.comparison_output import ComparisonFiles, show_comparison
    from handshift.cli.exits import Exit
    from handshift.cli.verdict_output import console
    from handshift.core.atomic import write_text
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.models.shipped_models import find_model
    from handshift.page.ocr import Reader, can_read
    from handshift.pipeline.verifier import Verifier
    from handshift.report import Run

    other = known if b is None else b
    if other is None:
        raise typer.BadParameter("give a second page or folder, or --known FOLDER", param_hint="B")
    if known is not None and b is not None:
        raise typer.BadParameter("give a second page or known samples, not both", param_hint="--known")
    contents = FileContents(cut)
    if known and contents is not FileContents.PAGE:
        raise typer.BadParameter("known samples are pages; leave --cut out", param_hint="--known")
    if (out or pdf) and contents is not FileContents.PAGE:
        raise typer.BadParameter("a report shows pages; leave --cut out", param_hint="--out")
    if pdf and not out:
        raise typer.BadParameter("a PDF is a report; give --out too", param_hint="--pdf")
    files = ComparisonFiles(out, pdf, json_file, csv_file)
    files.check()
    shipped = find_model(model)
    settings = {"model": shipped.card.id, "language": lang.value, "prior": "none: a likelihood ratio"}
    run = Run(
        shipped.card,
        datetime.now().astimezone(),
        settings,
        lang,
        Scale.load(scale),
        case=case_record(case, exhibit, examiner, note),
        populations=shipped.populations(),
    )
    wanted = read if read is not None else bool(out) and can_read()
    reader = Reader() if wanted else None
    verifier = Verifier(model, force=force, reader=reader, pictures=bool(out), dpi=dpi)
    if contents is FileContents.PAGE:
        verification = verifier.verify(a, other, known=known is not None)
        comparison, report = verification.comparison, files.write_report(verification, run)
    else:
        comparison, report = verifier.comparer.verify(a, other, contents), None
    show_comparison(console(), (a, other), comparison, run, report)
    if json_file:
        write_text(json_file, _json(a, other, comparison, run))
    if csv_file:
        from handshift.report.comparison_table import comparison_csv

        write_text(csv_file, comparison_csv(a, other, comparison, run))
    if not comparison.scope.inside:
        raise typer.Exit(Exit.OUT_OF_SCOPE)


def _json(a: Path, b: Path, found: Comparison, run: Run) -> str:
    import json
    from dataclasses import asdict

    from handshift.core.version import __version__
    from handshift.report.findings_record import readable

    content = {"handshift": __version__, "a": readable(a), "b": readable(b), **asdict(found)}
    content["log10_lr_bounds"] = content.pop("bounds")
    content["log10_lr_interval"] = content.pop("interval")
    content["scope"] = found.scope.record()
    content["case"] = run.case
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
