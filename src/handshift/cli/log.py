"""handshift log: the workbench's audit log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Verify the workbench's audit log.", no_args_is_help=True, add_completion=False)


@app.callback()
def log() -> None:
    """Verify the workbench's audit log."""


@app.command()
def verify(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A log that the workbench exported.")],
    last: Annotated[
        str, typer.Option(help="Hash that the last line must have, as noted when it was exported.")
    ] = "",
) -> None:
    """Check that no line of an exported log was changed, removed, added or moved.

    Exit codes: 0 where the chain is whole, 1 where it is broken.

    Example: handshift log verify handshift-log.jsonl
    """
    from handshift.web.audit_log import LogError, read_lines
    from handshift.web.audit_log import verify as verify_chain

    lines = read_lines(path)
    try:
        count = verify_chain(lines)
        if last and (not lines or lines[-1]["hash"] != last):
            raise LogError("the last line is not the one that was noted: lines at the end are missing")
    except LogError as error:
        typer.echo(f"{path}: broken: {error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(f"{path}: intact, {count} lines" + (f", last hash {lines[-1]['hash']}" if lines else ""))
