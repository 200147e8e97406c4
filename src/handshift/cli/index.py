"""handshift index: the pages and hands of an archive, ready to be searched."""

from __future__ import annotations

from typing import Annotated

import typer

from handshift.cli.engine_options import AddressOption, EngineOption, WorkersOption, engine_choice
from handshift.cli.shared_options import ModelOption, ResolutionOption

StoreOption = Annotated[
    str, typer.Option("--store", metavar="FOLDER", help="The store: a folder, or a URL such as s3://….")
]


def index(
    store: StoreOption,
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CORPUS]...",
            help="Scans, PDFs, folders, patterns, IIIF manifests or zip files; or a folder of "
            "`handshift embed`.",
        ),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option(
            "--remove", metavar="PATH", help="Remove the pages of this file, named as find lists it."
        ),
    ] = None,
    compact: Annotated[
        bool, typer.Option("--compact", help="Write few large segments, without removed pages.")
    ] = False,
    model: ModelOption = None,
    dpi: ResolutionOption = None,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    address: AddressOption = None,
) -> None:
    """Index an archive, so that `handshift find` can look for a hand in it.

    Files that are in the store are left alone, changed ones are indexed anew. Interrupted or killed, the same
    command goes on. A page without a vector is counted and listed, and does not stop the others.

    Example: handshift index scans/ --store archive --workers 8
    """
    from handshift.cli.index_run import run_index

    chosen = engine_choice(engine, workers, address)
    raise typer.Exit(run_index(corpus or [], store, remove or [], compact, model, chosen, dpi))
