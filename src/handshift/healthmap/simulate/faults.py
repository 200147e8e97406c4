"""What a broken tooth adds to a map."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.planetary_stage import PlanetaryStage

Floats64 = NDArray[np.float64]
LEAK = (1.0, 0.35, 0.15)
"""The structure rings on: share of an impact left in the next mesh cycle, and in the one after [F]."""
SHOWN = 0.6
"""Share of contacts in which the broken tooth is heard [F]."""
SHAPE = 4.0
"""Of the gamma distribution of impacts, mean 1 [F]."""


class FaultKind(StrEnum):
    """Which tooth is broken, and so how it looks on the map."""

    PLANET = "planet"
    """A row."""
    RING = "ring"
    """A column."""
    SUN = "sun"
    """A piece of a row for each planet, each heard while that planet passes the sensor."""


def window(columns: int, centre: float, sharpness: float) -> Floats64:
    """How well the sensor hears a mesh at each ring tooth: ((1 + cos θ)/2)^sharpness, (columns,)."""
    angle = 2 * np.pi * (np.arange(columns) - centre) / columns
    return np.asarray(((1 + np.cos(angle)) / 2) ** sharpness, np.float64)


def fault_pattern(
    kind: FaultKind,
    teeth: NDArray[np.integer],
    heard: Floats64,
    stage: PlanetaryStage,
    rng: np.random.Generator,
) -> Floats64:
    """What faults of size 1 add to maps of level 1, (maps, rows, columns).

    ``teeth`` (maps,) are the broken ones, ``heard`` (columns,) the sensor's window.
    """
    rows, columns = stage.size
    impacts = np.zeros((len(teeth), rows, columns))
    at = np.arange(len(teeth))
    if kind is FaultKind.RING:
        # The broken tooth never moves: all its contacts are heard alike, as if it stood before the sensor.
        impacts[at, :, teeth] = _contacts((len(teeth), rows), rng)
    for planet in range({FaultKind.PLANET: 1, FaultKind.RING: 0, FaultKind.SUN: stage.planets}[kind]):
        # Rows and columns count the first planet's meshes; the others stand a part of a turn away from it.
        row = (teeth - round(planet * stage.sun / stage.planets)) % rows
        there = np.roll(heard, -round(planet * columns / stage.planets))
        impacts[at, row] += there * _contacts((len(teeth), columns), rng)
    return add_ringing(impacts)


def add_ringing(impacts: Floats64) -> Floats64:
    """Let impacts ring on into later mesh cycles, each one row down and one column on, round the torus."""
    parts = (share * np.roll(impacts, (step, step), axis=(1, 2)) for step, share in enumerate(LEAK))
    return np.asarray(sum(parts), np.float64)


def _contacts(shape: tuple[int, int], rng: np.random.Generator) -> Floats64:
    return (rng.random(shape) < SHOWN) * rng.gamma(SHAPE, 1 / SHAPE, shape)
