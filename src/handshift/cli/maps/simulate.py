"""handshift maps simulate: a data set of simulated health maps."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from handshift.cli.destination import check_folder
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.map_model import FaultSpec
from handshift.healthmap.simulate.parameters import Condition, MapSimulation
from handshift.healthmap.simulate.simulate_dataset import SimulatedRun


class Conditions(StrEnum):
    """Temperature of the gearbox."""

    cold = "cold"
    warm = "warm"
    both = "both"


def simulate(
    out: Annotated[
        Path, typer.Argument(help="Folder to make, with `<domain>/{train,test}/{good,fault}/*.tif`.")
    ],
    train: Annotated[int, typer.Option(min=2, help="Normal maps to train on, in each domain.")] = 1000,
    test: Annotated[int, typer.Option(min=1, help="Normal and as many faulty maps to test on.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the gearbox and all its maps.")] = 0,
    condition: Annotated[
        Conditions, typer.Option(help="Cold, warm, or the first half cold and the second warm.")
    ] = Conditions.both,
    fault: Annotated[FaultKind, typer.Option(help="Which tooth is broken.")] = FaultKind.PLANET,
    sizes: Annotated[
        str, typer.Option(help="Sizes of the fault, 1 as published; several are assigned in turn: 0.5,1,2.")
    ] = "1",
    no_gain_shift: Annotated[
        bool,
        typer.Option(
            "--no-gain-shift", help="Same fault, but the fault run has the level of the normal run."
        ),
    ] = False,
    row_correlation: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Of a tooth's level between maps.", show_default="0, or as the parameters"
        ),
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option(help="YAML with other parameters; docs/healthmaps.md lists them.")
    ] = None,
) -> None:
    """Simulate a planetary gearbox: four domains of float maps, 31 planet teeth × 95 ring teeth.

    The folder also holds masks of the faulty pixels, truth.csv (condition, tooth and size of every map) and
    about.json with all settings.

    Example: handshift maps simulate gearbox --train 1000 --test 1000 --seed 42 --no-gain-shift
    """
    from handshift.cli.maps.progress import progress_bar

    check_folder(out)
    spec = FaultSpec(fault, _sizes(sizes), not no_gain_shift)
    conditions = tuple(Condition) if condition is Conditions.both else (Condition(condition.value),)
    table = MapSimulation.published() if parameters is None else MapSimulation.load(parameters)
    if row_correlation is not None:
        table = table.model_copy(update={"row_correlation": row_correlation})
    run = SimulatedRun(train, test, seed, conditions, spec, table)
    with progress_bar("maps", run.total) as advance:
        run.write(out, advance)
    typer.echo(
        f"{out}: {run.total} maps, domains {', '.join(sorted(table.domains))}; labels are in truth.csv"
    )


def _sizes(text: str) -> tuple[float, ...]:
    try:
        sizes = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers as in 0.5,1,2") from None
    if min(sizes) <= 0:
        raise typer.BadParameter("a fault must be larger than 0")
    return sizes
