"""handshift serve: the workbench in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.cli.shared_options import ModelOption


def serve(
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where cases and files are kept; the user's data folder unless given."
        ),
    ] = None,
    database: Annotated[
        str, typer.Option(metavar="URL", help="Another database than the SQLite file in the folder.")
    ] = "",
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine only with --token.")
    ] = ("127.0.0.1"),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8321,
    token: Annotated[
        str | None, typer.Option(envvar="HANDSHIFT_TOKEN", help="Secret that every request must carry.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    model: ModelOption = None,
) -> None:
    """Open the workbench: cases, pages and their hands in a browser.

    The server listens on this machine alone and sends nothing anywhere. Ctrl-C ends it; a job that was
    running goes on at the next start.

    Example: handshift serve
    """
    from handshift.models.shipped_models import find_model
    from handshift.web.serving import run_server
    from handshift.web.settings import ServerSettings, default_folder

    find_model(model)
    settings = ServerSettings(
        folder=(folder or default_folder()).resolve(),
        database=database,
        host=host,
        port=port,
        token=token,
        model=model,
    )
    run_server(settings, browser, lambda address: typer.echo(f"handshift workbench: {address}"))
