"""handshift maps build: a data set of maps from vibration recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
    describe: Annotated[
        Path | None,
        typer.Option(
            metavar="YAML",
            help="Sampling rate, sensors, tachometer and gear data of the files; options come first.",
        ),
    ] = None,
    teeth: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=STAGE,
            help="Teeth of the pinion (32), or of planet and ring (31,95): tooth × turn or tooth × tooth.",
            show_default="32",
        ),
    ] = None,
    planets: Annotated[
        int | None,
        typer.Option(min=1, rich_help_panel=STAGE, help="Planets on the carrier.", show_default="3"),
    ] = None,
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
        float | None,
        typer.Option(
            min=0.01,
            rich_help_panel=TRACKING,
            help="Turns per second, to within 3 %.",
            show_default="30",
        ),
    ] = None,
    order: Annotated[
        float | None,
        typer.Option(rich_help_panel=TRACKING, help="Order to track.", show_default="the mesh"),
    ] = None,
    sensor: Annotated[
        int | None,
        typer.Option(
            min=1, rich_help_panel=TRACKING, help="Sensor with the clearest mesh tone.", show_default="1"
        ),
    ] = None,
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
    test: split by time, never at random. Files are CSV, MAT, WAV, Parquet, UFF58, TDMS, .npz (`counts` and
    `scale`, or `signal`; optionally `rate` and `tacho`) or .npy, samples × sensors, recognised by content.

    Example: handshift maps build recordings/*.npz --out maps --sample-rate 12800 --teeth 32 --speed 30

    Example: handshift maps build good.npz broken.npz --out planetary --teeth 31,95 --speed 4
    """
    from handshift.cli.destination import check_folder
    from handshift.cli.maps.gear_options import map_maker
    from handshift.cli.maps.progress import progress_bar
    from handshift.healthmap.vibration.build_dataset import CONFOUNDS, build_dataset
    from handshift.healthmap.vibration.description import RecordingDescription

    check_folder(out)
    description = RecordingDescription() if describe is None else RecordingDescription.load(describe)
    maker = map_maker(
        description.gear, teeth=teeth, planets=planets, speed=speed, order=order, sensor=sensor, style=style,
        turns=turns, average=average,
    )  # fmt: skip
    with progress_bar("recordings", len(recordings)) as advance:
        counts = build_dataset(
            recordings,
            out,
            maker,
            rate=sample_rate,
            description=description,
            train_share=train_share,
            advance=advance,
        )
    summary = ", ".join(f"{count} {part}" for part, count in counts.items())
    typer.echo(f"{out}: {summary}. Note:")
    for confound in CONFOUNDS:
        typer.echo(f"  - {confound}")
