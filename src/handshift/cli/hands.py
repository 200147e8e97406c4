"""handshift hands: the hands of a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.cli.shared_options import ForceOption, ModelOption, PageXmlOption, TeiOption


def hands(
    paths: Annotated[
        list[str], typer.Argument(metavar="PAGE", help="Scans, PDFs or folders of one document.")
    ],
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all that was found as JSON.")
    ] = None,
    tei: TeiOption = None,
    page_xml: PageXmlOption = None,
    strip: Annotated[
        Path | None, typer.Option("--strip", metavar="FILE", help="Draw the strip chart as SVG.")
    ] = None,
    prior: Annotated[
        str, typer.Option(metavar="P1,…,P5", help="Chance of 1 to 5 hands on a page, before it is seen.")
    ] = "",
    same_prior: Annotated[
        float, typer.Option(metavar="P", help="Chance that one person wrote two given pages, before.")
    ] = 0.5,
    force: ForceOption = False,
    model: ModelOption = None,
) -> None:
    """Find the hands of a document: how many, which words, and where one takes over.

    All pages are taken as one document, in the order given; hands are linked across its pages, and A is the
    hand that wrote most words. A page that cannot be read is listed at the end and does not stop the others.

    Example: handshift hands codex/ --tei codex.tei.xml --strip codex.svg
    """
    from handshift.cli.hands_run import HandsOutputs, run_hands

    shares = _shares(prior)
    outputs = HandsOutputs(json_file, tei, page_xml, strip)
    outputs.check()
    raise typer.Exit(run_hands(paths, outputs, model, shares, force, same_prior))


def _shares(text: str) -> tuple[float, ...] | None:
    if not text:
        return None
    try:
        return tuple(float(share) for share in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r}: give five numbers separated by commas", param_hint="--prior"
        ) from error
