"""handshift report: reports from saved findings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import LanguageOption, VerbalScaleOption


def report(
    findings: Annotated[Path, typer.Argument(metavar="FINDINGS", help="What `examine --json` wrote.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the reports.")] = Path(
        "handshift-report"
    ),
    pdf: Annotated[bool, typer.Option("--pdf", help="Write each page's report as PDF too.")] = False,
    lang: LanguageOption = Language.en,
    scale: VerbalScaleOption = None,
) -> None:
    """Make reports from saved findings, in another language or as PDF, without examining the pages again.

    The scans are shown in the report, so they must still be where they were, or beside the findings, and be
    the same files.

    Example: handshift report findings.json --lang ko --pdf
    """
    from handshift.calibration.verbal_scale import Scale
    from handshift.cli.exits import Exit
    from handshift.cli.result_files import OutputPaths, ResultWriter
    from handshift.cli.verdict_output import console, show_failures
    from handshift.core.errors import PageError
    from handshift.report.load_findings import load_findings, run_of, verdict_of

    outputs = OutputPaths(report=out, pdf=pdf)
    outputs.check()
    read = load_findings(findings)
    writer = ResultWriter(outputs, read["model"], run_of(read, lang, Scale.load(scale)))
    failures = []
    for record in read["pages"]:
        if record["error"] is not None:
            writer.keep(record)
            continue
        try:
            writer.add(verdict_of(record, read["model"], findings.parent))
        except PageError as error:
            error.number, error.sha256 = record["page"] - 1, record["sha256"]
            failures.append(error)
            writer.add(error)
    writer.close()
    if writer.reports:
        console().print(f"Report: {out / 'index.html'}", markup=False, soft_wrap=True)
    show_failures(console(error=True), failures)
    made = Exit.SOME_FAILED if failures else Exit.ALL_EXAMINED
    raise typer.Exit(made if writer.reports else Exit.NONE_EXAMINED)
