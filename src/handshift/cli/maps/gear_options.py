"""Options that describe the machine: of the command line first, then of the description file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle

if TYPE_CHECKING:
    from handshift.healthmap.vibration.description import Gear

TEETH, PLANETS, SPEED = "32", 3, 30.0


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
    described = gear.teeth if isinstance(gear.teeth, int | None) else ",".join(map(str, gear.teeth))
    stage = parse_stage(teeth or str(described or TEETH), planets or gear.planets or PLANETS)
    tracked = (sensor or gear.sensor or 1) - 1
    return MapMaker(stage, speed or gear.speed or SPEED, style, turns, order or gear.order, tracked, average)


def parse_stage(teeth: str, planets: int) -> PlanetaryStage | int:
    """Tooth numbers from the command line: of a pinion, or of planet and ring."""
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
