"""handshift verify: the likelihood ratio of one writer against two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift import Contents
from handshift.cli.shared_options import ModelOption
from handshift.core.terminal_text import one_line

if TYPE_CHECKING:
    from handshift.attribution.comparison import Comparison


def verify(
    a: Annotated[Path, typer.Argument(metavar="A", help="A page, or a folder of one person's pages.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    cut: Annotated[
        Contents, typer.Option(help="What one file holds: a page, one word, or any picture.")
    ] = "page",
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the comparison as JSON.")
    ] = None,
    model: ModelOption = None,
) -> None:
    """Weigh whether one person wrote both.

    Example: handshift verify letter.png diary.png
    """
    from handshift.cli.destination import check_file
    from handshift.cli.verdict_output import console
    from handshift.core.atomic import write_text
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.comparer import Comparer

    if json_file:
        check_file(json_file)
    found = Comparer(model).verify(a, b, FileContents(cut))
    screen = console()
    screen.print(f"{one_line(a)} and {one_line(b)}: {found}", markup=False, soft_wrap=True)
    screen.print("  Not validated for casework.", style="dim")
    if json_file:
        write_text(json_file, _json(a, b, found))


def _json(a: Path, b: Path, found: Comparison) -> str:
    import json
    from dataclasses import asdict

    from handshift.core.version import __version__
    from handshift.report.findings_record import readable

    content = {"handshift": __version__, "a": readable(a), "b": readable(b), **asdict(found)}
    content["log10_lr_bounds"] = content.pop("bounds")
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
