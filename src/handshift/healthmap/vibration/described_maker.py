"""From the description of a machine to the settings of its maps."""

from __future__ import annotations

from pydantic import ValidationError

from handshift.core.errors import HandshiftError
from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.vibration.description import Gear
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle

TEETH, PLANETS, SPEED = 32, 3, 30.0
"""Of a machine that is not described."""


def described_maker(
    gear: Gear, style: MapStyle = MapStyle.TEETH, turns: int = 10, average: int = 1
) -> MapMaker:
    """Settings of order tracking and maps.

    Args:
        gear: Teeth, planets, speed, tracked order and sensor.
        style: Axes of the maps.
        turns: In one map, if its columns are turns.
        average: Cycles to average.

    Returns:
        The settings.

    Raises:
        HandshiftError: Tooth numbers that share a factor, or are too small.
    """
    return MapMaker(
        gear_stage(gear),
        gear.speed or SPEED,
        style,
        turns,
        gear.order,
        (gear.sensor or 1) - 1,
        average,
    )


def gear_stage(gear: Gear) -> PlanetaryStage | int:
    """The planetary stage, or the teeth of the pinion of a parallel one."""
    teeth = gear.teeth or TEETH
    if isinstance(teeth, int):
        if teeth < 2:
            raise HandshiftError(f"teeth {teeth}: a pinion has at least 2")
        return teeth
    planet, ring = teeth
    try:
        return PlanetaryStage(
            sun=max(ring - 2 * planet, 5), planet=planet, ring=ring, planets=gear.planets or PLANETS
        )
    except ValidationError as error:
        raise HandshiftError(f"teeth {planet},{ring}: {error.errors()[0]['msg']}") from error
