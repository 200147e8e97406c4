"""Maps that no gearbox need have made, wider in every way than a data set: the encoder has seen more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.maps import Floats

MAP_SIZE = (31, 95)
ODD_SHARE = 0.6
"""Of maps with something drawn into them; which and where is told to nobody."""


def draw_maps(random: np.random.Generator, count: int) -> Floats:
    """``count`` maps (count, 31, 95), in the unit of a domain: most values lie between 0.1 and 0.5.

    ln X = ln μ + σ_c·b_j + σ_r·a_i + σ_p·ε with μ and all σ drawn for each map, b smooth round the ring; then
    up to three shapes are added to some of them.
    """
    rows, columns = MAP_SIZE
    level = random.uniform(0.12, 0.4, (count, 1, 1))
    across, along, grain = random.uniform(0.02, [[0.25], [0.25], [0.3]], (3, count))[:, :, None, None]
    by_column = _smooth(random.normal(size=(count, 1, columns)), random.uniform(0, 0.9, (count, 1, 1)))
    by_row = random.normal(size=(count, rows, 1))
    noise = random.normal(size=(count, rows, columns))
    maps = level * np.exp(across * by_column + along * by_row + grain * noise)
    for number in np.flatnonzero(random.random(count) < ODD_SHARE):
        for _ in range(random.integers(1, 4)):
            size = level[number, 0, 0] * np.exp(random.uniform(np.log(0.2), np.log(4)))
            maps[number] += size * _shape(random) * random.gamma(4, 0.25, MAP_SIZE)
    return np.asarray(maps, np.float32)


def _smooth(values: NDArray[np.float64], correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate neighbours round the ring, variance kept: a filter ρ^|k| by its Fourier transform."""
    count = values.shape[-1]
    away = np.minimum(np.arange(count), count - np.arange(count))
    kernel = np.fft.rfft(correlation ** (away / 2), axis=-1)
    mixed = np.fft.irfft(np.fft.rfft(values, axis=-1) * kernel, count, axis=-1)
    return np.asarray(mixed / np.maximum(mixed.std(axis=-1, keepdims=True), 1e-9))


def _shape(random: np.random.Generator) -> NDArray[np.float64]:
    """A row, a column, a diagonal or a spot, with soft edges, round the torus: (31, 95) in 0…1."""
    rows, columns = MAP_SIZE
    row, column = int(random.integers(rows)), int(random.integers(columns))
    softness = random.uniform(0.3, 1.2)
    down = _around(np.arange(rows), row, rows)[:, None]
    over = _around(np.arange(columns), column, columns)[None]
    kind = random.choice(["row", "column", "diagonal", "spot"])
    if kind == "diagonal":  # mesh after mesh, both gears go on by one tooth
        away = _around(np.arange(rows)[:, None] - np.arange(columns)[None], row - column, rows)
        return np.exp(-((away / softness) ** 2)) * (over < random.integers(5, columns // 2))
    if kind == "row":
        return np.exp(-((down / softness) ** 2)) * (random.random((1, columns)) < random.uniform(0.3, 1))
    if kind == "column":
        return np.exp(-((over / softness) ** 2)) * (random.random((rows, 1)) < random.uniform(0.3, 1))
    reach = random.uniform(1, 4)
    return np.exp(-(down**2 + over**2) / reach**2)


def _around(places: NDArray[np.int64], centre: int, count: int) -> NDArray[np.int64]:
    """Steps from ``centre`` on a ring of ``count``, the shorter way."""
    away = np.abs(places - centre) % count
    return np.asarray(np.minimum(away, count - away), np.int64)
