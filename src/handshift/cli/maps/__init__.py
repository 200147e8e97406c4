"""handshift maps: anomaly detection on health maps and pictures."""

from __future__ import annotations

import typer

from handshift.cli.maps import one_blas_thread
from handshift.cli.maps.build import build
from handshift.cli.maps.degrade import degrade
from handshift.cli.maps.pretrain import pretrain
from handshift.cli.maps.score import score
from handshift.cli.maps.signal import signal
from handshift.cli.maps.simulate import simulate
from handshift.cli.maps.spectrum import spectrum
from handshift.cli.maps.train import train
from handshift.cli.maps.watch import watch

__all__ = ["app", "one_blas_thread"]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Detect faulty gear teeth on health maps, or defects on pictures (needs the `maps` extra).",
)


@app.callback()
def maps() -> None:
    """Detect faulty gear teeth on health maps, or defects on pictures."""


app.command()(simulate)
app.command()(signal)
app.command()(build)
app.command()(spectrum)
app.command()(train)
app.command()(score)
app.command()(watch)
app.command()(degrade)
app.command()(pretrain)
