"""Examine the bundled pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the HTML report.")] = Path(
        "handshift-report"
    ),
    lang: Annotated[Language, typer.Option(help="Language of the report.")] = Language.en,
) -> None:
    """Examine the two pages that come with handshift, drawn by synthetic scribes.

    Example: handshift demo --out demo-report
    """
    from handshift.cli.examine_options import ExamineOptions
    from handshift.cli.examine_run import run_examination
    from handshift.cli.result_files import OutputPaths
    from handshift.demo import ONE_HAND, TWO_HANDS

    typer.echo(
        "Two letters by synthetic scribes. Expect: two-hands.png towards more than one hand, with words set "
        "apart in lines 3 and 4; one-hand.png towards one hand."
    )
    options = ExamineOptions(language=lang)
    raise typer.Exit(run_examination([TWO_HANDS, ONE_HAND], OutputPaths(report=out), options))
