"""The command line: one small file for each command."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from handshift.cli.broken_pipe import mind_the_reader
from handshift.cli.exits import exit_for
from handshift.cli.lazy import LazyGroup
from handshift.core.errors import HandshiftError
from handshift.core.version import __version__

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",  # paragraphs are wrapped anew, not where the docstring happens to break
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: handshift examine letter.png",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"handshift {__version__}")
        raise typer.Exit


@app.callback()
def handshift(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Find the words in a handwritten page that another hand wrote."""


def main() -> None:
    """Run the command line; what the user can put right is told in one sentence, without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no "×", or a file name that is no UTF-8, must not stop an examination.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    mind_the_reader()
    try:
        app()
    except HandshiftError as error:
        typer.echo(f"handshift: {error}", err=True)
        sys.exit(exit_for(error))
    finally:
        sys.stdout.flush()  # a reader who left is noticed here, not at Python's own end
