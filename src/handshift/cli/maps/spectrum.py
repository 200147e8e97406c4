"""handshift maps spectrum: a figure of a recording's spectrum and order spectrum."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def spectrum(
    recording: Annotated[Path, typer.Argument(help="One recording, of any format that `build` reads.")],
    out: Annotated[Path, typer.Option(help="Figure to write, as .png and .svg.")],
    describe: Annotated[
        Path | None, typer.Option(metavar="YAML", help="Description, as for `build`.")
    ] = None,
    teeth: Annotated[str | None, typer.Option(help="As for `build`.", show_default="32")] = None,
    planets: Annotated[int | None, typer.Option(min=1, help="As for `build`.", show_default="3")] = None,
    speed: Annotated[
        float | None, typer.Option(min=0.01, help="Turns per second, to within 3 %.", show_default="30")
    ] = None,
    sensor: Annotated[
        int | None, typer.Option(min=1, help="Sensor to show and to track.", show_default="1")
    ] = None,
    sample_rate: Annotated[
        float | None, typer.Option(min=1, help="Samples per second.", show_default="stored in the file")
    ] = None,
    bearing: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ORDER", help="Fault order of a bearing, as BPFO=3.58; may be repeated."),
    ] = None,
) -> None:
    """Draw spectrum and order spectrum of a recording with mesh, sidebands and bearing lines marked.

    Example: handshift maps spectrum h30hz50.npz --out spectrum.png --teeth 32 --speed 30 --bearing BPFO=3.58
    """
    from handshift.cli.destination import check_file
    from handshift.cli.maps.gear_options import map_maker
    from handshift.healthmap.report.spectrum_figure import spectrum_figure
    from handshift.healthmap.vibration.description import RecordingDescription
    from handshift.healthmap.vibration.recording import read_recording
    from handshift.healthmap.vibration.spectrum import (
        frequency_spectrum,
        marked_orders,
        mean_speed,
        order_spectrum,
    )

    for kind in (".png", ".svg"):
        check_file(out.with_suffix(kind))
    description = RecordingDescription() if describe is None else RecordingDescription.load(describe)
    maker = map_maker(description.gear, teeth=teeth, planets=planets, speed=speed, sensor=sensor)
    read = read_recording(recording, sample_rate, description)
    orders = order_spectrum(read, maker, maker.sensor)
    marks = marked_orders(maker, dict(_bearing(text) for text in bearing or []))
    turning = mean_speed(read, maker)
    spectrum_figure(frequency_spectrum(read, maker.sensor), orders, marks, turning, out)
    mesh = marks["mesh"][0]
    sides = " and ".join(f"{orders.level(mesh + side, 0.2):.3g}" for side in (-1, 1))
    level = orders.level(mesh, 0.2)
    typer.echo(
        f"{out}: {turning:.2f} turns per second; mesh at order {mesh:g} with amplitude {level:.3g}, its "
        f"sidebands {sides}"
    )


def _bearing(text: str) -> tuple[str, float]:
    name, _, order = text.partition("=")
    try:
        return name, float(order)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not NAME=ORDER, as BPFO=3.58", param_hint="--bearing"
        ) from None
