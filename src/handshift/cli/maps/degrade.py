"""handshift maps degrade: a simulated run to failure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.parameters import Condition


def degrade(
    out: Annotated[Path, typer.Argument(help="Folder to make, with `<domain>/*.tif` and truth.csv.")],
    maps: Annotated[int, typer.Option(min=2, help="Number of maps.")] = 300,
    onset: Annotated[int, typer.Option(min=0, help="First map with a fault, which then grows.")] = 150,
    size: Annotated[float, typer.Option(min=0, help="Of the fault at the end, 1 as published.")] = 1.5,
    domain: Annotated[str, typer.Option(help="Domain of all maps.")] = "C",
    fault: Annotated[FaultKind, typer.Option(help="Which tooth is broken.")] = FaultKind.PLANET,
    tooth: Annotated[int, typer.Option(min=1, help="Number of the broken tooth, from 1.")] = 13,
    condition: Annotated[Condition, typer.Option(help="Temperature of the gearbox.")] = Condition.WARM,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between maps.")] = 600.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the gearbox, as for `simulate`.")] = 0,
) -> None:
    """Simulate a machine that fails: maps in order of time with a fault that grows, for `maps watch`.

    Example: handshift maps degrade failing --seed 42
    """
    from handshift.cli.destination import check_folder
    from handshift.healthmap.simulate.run_to_failure import RunToFailure

    check_folder(out)
    run = RunToFailure(maps, onset, size, domain, fault, tooth - 1, condition, interval, seed)
    run.write(out)
    typer.echo(f"{out}: {maps} maps of domain {domain}, the fault grows from map {onset}")
