"""Options that mean the same in every command that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.models.shipped_models import DEFAULT

ModelOption = Annotated[
    str | None, typer.Option(help="Id of a shipped model, or a model's folder.", show_default=DEFAULT)
]
PageXmlOption = Annotated[
    Path | None,
    typer.Option(
        "--page-xml",
        metavar="PATH",
        help="Write PAGE-XML: a file if PATH ends in .xml, else a folder with a file for each page.",
    ),
]
TeiOption = Annotated[
    Path | None,
    typer.Option(
        "--tei",
        metavar="PATH",
        help="Write TEI with `<handShift/>`: one file if PATH ends in .xml, else a folder with a file for "
        "each page.",
    ),
]
VerbalScaleOption = Annotated[
    Path | None,
    typer.Option("--verbal-scale", metavar="FILE", help="Verbal scale to use instead of ENFSI's, as JSON."),
]
