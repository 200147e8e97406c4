"""handshift maps build: a data set of maps from vibration recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.vibration.map_maker import MapStyle

STAGE, TRACKING, DATA = "Stage", "Order tracking", "Data set"


def build(
    recordings: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDING", help="Files named by class and load: h30hz50.npz, broken-30.wav."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder to make, with `<load>-<sensor>/{train,test}/{good,fault}`.")
    ],
    teeth: Annotated[
        str,
        typer.Option(
            rich_help_panel=STAGE,
            help="Teeth of the pinion (32), or of planet and ring (31,95): tooth × turn or tooth × tooth.",
        ),
    ] = "32",
    planets: Annotated[int, typer.Option(min=1, rich_help_panel=STAGE, help="Planets on the carrier.")] = 3,
    style: Annotated[
        MapStyle,
        typer.Option(rich_help_panel=STAGE, help="What rows are: teeth, or bands of orders."),
    ] = MapStyle.TEETH,
    turns: Annotated[
        int, typer.Option(min=1, rich_help_panel=STAGE, help="Turns in one map, where columns are turns.")
    ] = 10,
    average: Annotated[
        int,
        typer.Option(
            min=1,
            rich_help_panel=STAGE,
            help="Cycles of the same teeth to average; whatever is not synchronous fades.",
        ),
    ] = 1,
    speed: Annotated[
        float, typer.Option(min=0.01, rich_help_panel=TRACKING, help="Turns per second, to within 3 %.")
    ] = 30,
    order: Annotated[
        float | None,
        typer.Option(rich_help_panel=TRACKING, help="Order to track.", show_default="the mesh"),
    ] = None,
    sensor: Annotated[
        int, typer.Option(min=1, rich_help_panel=TRACKING, help="Sensor with the clearest mesh tone.")
    ] = 1,
    sample_rate: Annotated[
        float | None,
        typer.Option(
            min=1, rich_help_panel=TRACKING, help="Samples per second.", show_default="stored in the file"
        ),
    ] = None,
    train_share: Annotated[
        float,
        typer.Option(min=0.1, max=0.9, rich_help_panel=DATA, help="Share of a normal recording to train on."),
    ] = 0.5,
) -> None:
    """Track the shaft, remove the mesh harmonics, and arrange the residual tooth by tooth.

    Every load and sensor is a domain. The first part of each normal recording is for training, the rest for
    test: split by time, never at random. Files are .npz (`counts` and `scale`, or `signal`; optionally `rate`
    and `tacho`), .npy or .wav, samples × sensors.

    Example: handshift maps build recordings/*.npz --out maps --sample-rate 12800 --teeth 32 --speed 30

    Example: handshift maps build good.npz broken.npz --out planetary --teeth 31,95 --speed 4
    """
    from handshift.cli.destination import check_folder
    from handshift.cli.maps.progress import progress_bar
    from handshift.healthmap.vibration.build_dataset import CONFOUNDS, build_dataset
    from handshift.healthmap.vibration.map_maker import MapMaker

    check_folder(out)
    maker = MapMaker(_stage(teeth, planets), speed, style, turns, order, sensor - 1, average)
    with progress_bar("recordings", len(recordings)) as advance:
        counts = build_dataset(
            recordings, out, maker, rate=sample_rate, train_share=train_share, advance=advance
        )
    summary = ", ".join(f"{count} {part}" for part, count in counts.items())
    typer.echo(f"{out}: {summary}. Note:")
    for confound in CONFOUNDS:
        typer.echo(f"  - {confound}")


def _stage(teeth: str, planets: int) -> PlanetaryStage | int:
    from pydantic import ValidationError

    try:
        numbers = [int(part) for part in teeth.split(",")]
        if len(numbers) == 1 and numbers[0] > 1:
            return numbers[0]
        planet, ring = numbers
        return PlanetaryStage(sun=max(ring - 2 * planet, 5), planet=planet, ring=ring, planets=planets)
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"], param_hint="--teeth") from None
    except ValueError:
        raise typer.BadParameter(f"{teeth!r} is neither 32 nor 31,95", param_hint="--teeth") from None
