"""The command line: one small file for each command."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from handshift.cli.broken_pipe import watch_output
from handshift.cli.chosen_language import choose, describe_refusal
from handshift.cli.crash import describe_crash
from handshift.cli.exits import Exit, exit_for
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


def _version(requested: bool) -> None:
    if requested:
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
    """Run the command line; an error that the user can correct is one sentence, without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show "×", or a file name that is not UTF-8, must not stop an examination.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    watch_output()
    choose()  # until the command reads its own --lang
    try:
        app()
    except HandshiftError as error:
        typer.echo(f"handshift: {describe_refusal(error)}", err=True)
        sys.exit(exit_for(error))
    except Exception as error:
        typer.echo(f"handshift: {describe_crash(error)}", err=True)
        sys.exit(Exit.INTERNAL_ERROR)
    finally:
        sys.stdout.flush()  # a reader who left is noticed here, not at Python's own end
