"""handshift maps signal: a simulated vibration recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.healthmap.simulate.faults import FaultKind


def signal(
    out: Annotated[Path, typer.Argument(help="File to write, .npz; begin its name with h or b for `build`.")],
    fault: Annotated[
        FaultKind | None, typer.Option(help="Which tooth is broken.", show_default="none")
    ] = None,
    tooth: Annotated[int, typer.Option(min=1, help="Number of the broken tooth, from 1.")] = 1,
    size: Annotated[float, typer.Option(min=0, help="Of the fault's impacts; the mesh tone is 1.")] = 2,
    seconds: Annotated[float, typer.Option(min=1, max=3600)] = 60,
    speed: Annotated[float, typer.Option(min=0.1, help="Carrier turns per second.")] = 4,
    variation: Annotated[float, typer.Option(min=0, max=0.2, help="Share by which the speed swings.")] = 0.01,
    noise: Annotated[float, typer.Option(min=0, help="Of the sensor; the mesh tone is 1.")] = 0.1,
    sample_rate: Annotated[float, typer.Option(min=1000, help="Samples per second.")] = 12_800,
    tacho: Annotated[bool, typer.Option(help="Store one tacho pulse per turn.")] = True,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Simulate the vibration of a planetary stage at one sensor: sun 31, three planets of 31, ring 95 teeth.

    Example: handshift maps signal b4hz.npz --fault planet --tooth 13 --seconds 60
    """
    from handshift.cli.destination import check_folder
    from handshift.healthmap.simulate.simulate_signal import SignalSimulation, simulate_signal
    from handshift.healthmap.vibration.recording import write_recording

    if out.suffix.lower() != ".npz":
        raise typer.BadParameter(f"{out}: recordings are written as .npz")
    check_folder(out.parent)
    if out.exists():
        raise typer.BadParameter(f"{out}: exists already; choose another name")
    settings = SignalSimulation(
        rate=sample_rate, seconds=seconds, speed=speed, variation=variation, noise=noise,
        fault=fault, tooth=tooth - 1, size=size, seed=seed,
    )  # fmt: skip
    simulated = simulate_signal(settings)
    write_recording(out, simulated.signal, simulated.rate, simulated.tacho if tacho else None)
    typer.echo(f"{out}: {len(simulated.signal)} samples, {len(simulated.tacho)} turns of the carrier")
