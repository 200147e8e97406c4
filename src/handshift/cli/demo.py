"""Examine the bundled pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import LanguageOption


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the HTML report.")] = Path(
        "handshift-report"
    ),
    lang: LanguageOption = Language.en,
) -> None:
    """Examine the two pages that come with handshift, drawn by synthetic scribes.

    Example: handshift demo --out demo-report
    """
    from handshift.cli.examine_options import ExamineOptions
    from handshift.cli.examine_run import run_examination
    from handshift.cli.result_files import OutputPaths
    from handshift.demo import ONE_HAND, TWO_HANDS
    from handshift.report.page_report import texts

    typer.echo(texts(lang)["term_demo"])
    options = ExamineOptions(language=lang)
    raise typer.Exit(run_examination([TWO_HANDS, ONE_HAND], OutputPaths(report=out), options))
