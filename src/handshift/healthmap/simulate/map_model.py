"""Log-normal model of health maps:

ln X = ln μ − σ²/2 + σ_img·g + σ_col·b_j + σ_row·a_i + σ_pix·ε; transients and faults are added to X.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.health_map import Floats
from handshift.healthmap.simulate.faults import (
    GAMMA_SHAPE,
    FaultKind,
    Floats64,
    add_ringing,
    fault_pattern,
    window,
)
from handshift.healthmap.simulate.parameters import Condition, MapSimulation


@dataclass(frozen=True, slots=True)
class FaultSpec:
    """The fault of a fault run."""

    kind: FaultKind = FaultKind.PLANET
    sizes: tuple[float, ...] = (1.0,)
    """In units of the domain's fault, assigned to the maps in turn."""
    gain_shift: bool = True
    """Whether the level of the fault run is shifted as a whole, as in the published data."""
    tooth: int | None = None
    """Number of the broken tooth, from 0; None draws one for every map."""


@dataclass(frozen=True, slots=True)
class SimulatedMaps:
    """Maps of one domain and condition with their labels."""

    maps: Floats
    """(maps, rows, columns)."""
    masks: NDArray[np.bool_]
    """Pixels to which the fault adds at least a tenth of its size, (maps, rows, columns)."""
    teeth: NDArray[np.integer]
    """Number of the broken tooth, −1 for none, (maps,)."""
    sizes: Floats64
    """Of the fault, 0 for none, (maps,)."""


class MapModel:
    """One gearbox; the row and column patterns shared by all its maps are drawn from ``seed``."""

    def __init__(self, parameters: MapSimulation, seed: int) -> None:
        self.parameters = parameters
        rng = np.random.default_rng([seed, 0])
        columns = rng.standard_normal((len(parameters.domains), parameters.stage.ring))
        columns -= columns.mean(axis=1, keepdims=True)
        columns /= columns.std(axis=1, keepdims=True)  # level and spread are exactly those of the parameters
        self._columns = dict(zip(sorted(parameters.domains), columns, strict=True))
        rows = rng.standard_normal((len(parameters.domains), parameters.stage.planet))
        rows -= rows.mean(axis=1, keepdims=True)
        rows /= rows.std(axis=1, keepdims=True)
        self._rows = dict(zip(sorted(parameters.domains), rows, strict=True))

    def draw(
        self,
        domain: str,
        condition: Condition,
        count: int,
        rng: np.random.Generator,
        *,
        training: bool = False,
        fault: FaultSpec | None = None,
    ) -> SimulatedMaps:
        """Draw maps of the training run, of the normal test run, or of the fault run.

        Args:
            domain: One of the parameters' domains.
            condition: Cold or warm.
            count: Number of maps.
            rng: Source of randomness.
            training: Whether the level is that of the training run, above the test normals by the drift.
            fault: The fault; None for normal maps.

        Returns:
            The maps with their labels.
        """
        settings = self.parameters.domains[domain]
        here = settings.condition(condition)
        level = here.level / (1 - settings.drift) if training else here.level
        maps = level * self._normal(domain, condition, count, rng)
        maps += level * self._transients(count, rng)
        masks = np.zeros(maps.shape, np.bool_)
        teeth, sizes = np.full(count, -1), np.zeros(count)
        if fault is not None:
            stage = self.parameters.stage
            teeth = rng.integers(stage.ring if fault.kind is FaultKind.RING else stage.planet, size=count)
            if fault.tooth is not None:
                teeth = np.full(count, fault.tooth)
            sizes = np.resize(np.asarray(fault.sizes, np.float64), count)
            sizes = sizes * np.exp(self.parameters.fault_spread * rng.standard_normal(count))
            sensitivity = window(stage.ring, settings.centre, self.parameters.sharpness)
            added = here.fault * fault_pattern(fault.kind, teeth, sensitivity, stage, rng)
            masks = added >= 0.1 * here.fault
            maps += level * sizes[:, None, None] * added
            maps *= 1 + here.gain if fault.gain_shift else 1
        return SimulatedMaps(maps.astype(np.float32), masks, teeth, sizes)

    def _normal(self, domain: str, condition: Condition, count: int, rng: np.random.Generator) -> Floats64:
        """Log-normal maps of mean 1, (count, rows, columns)."""
        rows, columns = self.parameters.stage.size
        here = self.parameters.domains[domain].condition(condition)
        shared = self.parameters.column_correlation
        column = np.sqrt(shared) * self._columns[domain]
        column = column + np.sqrt(1 - shared) * rng.standard_normal((count, columns))
        exponent = here.pixel * rng.standard_normal((count, rows, columns))
        exponent += here.column * column[:, None, :]
        persistent = self.parameters.row_correlation
        row = np.sqrt(1 - persistent) * rng.standard_normal((count, rows, 1))
        exponent += here.row * (np.sqrt(persistent) * self._rows[domain][:, None] + row)
        exponent += self.parameters.image * rng.standard_normal((count, 1, 1))
        variance = here.pixel**2 + here.column**2 + here.row**2 + self.parameters.image**2
        exponent -= variance / 2
        return np.asarray(np.exp(exponent, out=exponent))

    def _transients(self, count: int, rng: np.random.Generator) -> Floats64:
        """Impacts from outside the gearbox, as short diagonals: time runs down and to the right."""
        shape = (count, *self.parameters.stage.size)
        impacts = np.zeros(shape)
        owner = np.repeat(np.arange(count), rng.poisson(self.parameters.transients, count))
        rows, columns = self.parameters.stage.pixel(rng.integers(shape[1] * shape[2], size=len(owner)))
        size = self.parameters.transient * rng.gamma(GAMMA_SHAPE, 1 / GAMMA_SHAPE, len(owner))
        np.add.at(impacts, (owner, rows, columns), size)
        return add_ringing(impacts)
