"""handshift maps: which tooth of a gearbox, or which picture, does not belong."""

from __future__ import annotations

import typer

from handshift.cli.maps.build import build
from handshift.cli.maps.pretrain import pretrain
from handshift.cli.maps.score import score
from handshift.cli.maps.signal import signal
from handshift.cli.maps.simulate import simulate
from handshift.cli.maps.train import train

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Find the tooth that sounds different, on health maps or any pictures (needs the `maps` extra).",
)


@app.callback()
def maps() -> None:
    """Find the tooth that sounds different, on health maps or any pictures."""


for command in (simulate, signal, build, train, score, pretrain):
    app.command()(command)
