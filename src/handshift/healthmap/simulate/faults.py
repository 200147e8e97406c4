"""Contribution of a broken tooth to a map."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.planetary_stage import PlanetaryStage

Floats64 = NDArray[np.float64]
LEAK = (1.0, 0.35, 0.15)
"""Ringing of the structure: share of an impact in its own mesh cycle and in the next two [F]."""
CONTACT_PROBABILITY = 0.6
"""Probability that a contact of the broken tooth makes an impact [F]."""
GAMMA_SHAPE = 4.0
"""Of the gamma distribution of impacts, mean 1 [F]."""


class FaultKind(StrEnum):
    """Gear with the broken tooth, which determines the pattern on the map."""

    PLANET = "planet"
    """A row."""
    RING = "ring"
    """A column."""
    SUN = "sun"
    """A segment of a row for each planet, where that planet passes the sensor."""


def window(columns: int, centre: float, sharpness: float) -> Floats64:
    """Sensitivity of the sensor to a mesh at each ring tooth: ((1 + cos θ)/2)^sharpness, (columns,)."""
    angle = 2 * np.pi * (np.arange(columns) - centre) / columns
    return np.asarray(((1 + np.cos(angle)) / 2) ** sharpness, np.float64)


def fault_pattern(
    kind: FaultKind,
    teeth: NDArray[np.integer],
    sensitivity: Floats64,
    stage: PlanetaryStage,
    rng: np.random.Generator,
) -> Floats64:
    """Contribution of faults of size 1 to maps of level 1.

    Args:
        kind: Gear with the broken tooth.
        teeth: Number of the broken tooth of each map, (maps,).
        sensitivity: The sensor's window, (columns,).
        stage: Tooth numbers.
        rng: Source of randomness.

    Returns:
        (maps, rows, columns).
    """
    rows, columns = stage.size
    impacts = np.zeros((len(teeth), rows, columns))
    at = np.arange(len(teeth))
    if kind is FaultKind.RING:
        # A ring tooth does not move relative to the sensor: all its contacts have full sensitivity.
        impacts[at, :, teeth] = _contacts((len(teeth), rows), rng)
    for planet in range({FaultKind.PLANET: 1, FaultKind.RING: 0, FaultKind.SUN: stage.planets}[kind]):
        # Rows and columns count the first planet's meshes; the others are offset by a part of a turn.
        row = (teeth - round(planet * stage.sun / stage.planets)) % rows
        window_of_planet = np.roll(sensitivity, -round(planet * columns / stage.planets))
        impacts[at, row] += window_of_planet * _contacts((len(teeth), columns), rng)
    return add_ringing(impacts)


def add_ringing(impacts: Floats64) -> Floats64:
    """Add the ringing of impacts in later mesh cycles, each one row down and one column right."""
    parts = (share * np.roll(impacts, (step, step), axis=(1, 2)) for step, share in enumerate(LEAK))
    return np.asarray(sum(parts), np.float64)


def _contacts(shape: tuple[int, int], rng: np.random.Generator) -> Floats64:
    return (rng.random(shape) < CONTACT_PROBABILITY) * rng.gamma(GAMMA_SHAPE, 1 / GAMMA_SHAPE, shape)
