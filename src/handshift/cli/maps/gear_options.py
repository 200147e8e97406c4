"""Options that describe the machine: of the command line first, then of the description file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from handshift.core.errors import HandshiftError
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle

if TYPE_CHECKING:
    from handshift.healthmap.vibration.description import Gear


def map_maker(
    gear: Gear,
    *,
    teeth: str | None = None,
    planets: int | None = None,
    speed: float | None = None,
    order: float | None = None,
    sensor: int | None = None,
    style: MapStyle = MapStyle.TEETH,
    turns: int = 10,
    average: int = 1,
) -> MapMaker:
    """Settings of order tracking and maps.

    Args:
        gear: Of the description file.
        teeth: ``32``, or ``31,95`` for planet and ring.
        planets: On the carrier.
        speed: Turns per second.
        order: To track.
        sensor: To track, from 1.
        style: Axes of the maps.
        turns: In one map.
        average: Cycles to average.

    Returns:
        The settings.

    Raises:
        typer.BadParameter: Tooth numbers that cannot be read or share a factor.
    """
    from handshift.healthmap.vibration.described_maker import described_maker

    given = {"planets": planets, "speed": speed, "order": order, "sensor": sensor}
    chosen: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if teeth is not None:
        chosen["teeth"] = _parse_teeth(teeth)
    try:
        return described_maker(gear.model_copy(update=chosen), style, turns, average)
    except HandshiftError as error:
        raise typer.BadParameter(str(error), param_hint="--teeth") from None


def _parse_teeth(text: str) -> int | tuple[int, int]:
    """Tooth numbers from the command line: of a pinion, or of planet and ring."""
    try:
        numbers = [int(part) for part in text.split(",")]
        if len(numbers) == 1 and numbers[0] > 1:
            return numbers[0]
        planet, ring = numbers
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither 32 nor 31,95", param_hint="--teeth") from None
    return planet, ring
