"""handshift find and handshift clusters: where in an archive is this hand, and which pages share one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.index import StoreOption
from handshift.cli.shared_options import LanguageOption, ModelOption, ResolutionOption

JsonOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the result as JSON.")]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page with thumbnails.")
]


def find(
    page: Annotated[str, typer.Argument(help="A page by the hand that is looked for.")],
    store: StoreOption,
    hand: Annotated[
        str | None, typer.Option(metavar="LETTER", help="One of the page's hands; all its words if none.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Pages to list.")] = 20,
    json_file: JsonOption = None,
    html: HtmlOption = None,
    model: ModelOption = None,
    dpi: ResolutionOption = None,
    lang: LanguageOption = Language.en,
) -> None:
    """Find the pages of an archive that show this hand.

    A first search takes the nearest hands from the store; these are compared as `handshift verify` compares
    pages, and ranked by the calibrated likelihood ratio. The page itself is not listed if it is in the store.

    Example: handshift find letter.png --store archive --hand B --html found.html
    """
    from handshift.cli.find_run import run_find

    run_find(page, hand, store, count, json_file, html, model, lang, dpi)


def clusters(
    store: StoreOption,
    least: Annotated[
        float | None,
        typer.Option(help="Least log10 LR of a join; grows with the archive if not given."),
    ] = None,
    json_file: JsonOption = None,
    html: HtmlOption = None,
    model: ModelOption = None,
    lang: LanguageOption = Language.en,
) -> None:
    """List the pages of an archive that share a hand.

    Example: handshift clusters --store archive --html hands.html
    """
    from handshift.cli.find_run import run_clusters

    run_clusters(store, least, json_file, html, model, lang)
