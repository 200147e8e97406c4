"""Signals over angle become maps."""

from __future__ import annotations

import numpy as np

from handshift.healthmap.gears import PlanetaryStage
from handshift.healthmap.vibration.recording import Floats64
from handshift.healthmap.vibration.residual import amplitude, difference_signal

SAMPLES_PER_MESH = 16
PARALLEL_SIDEBANDS = 1
PLANETARY_SIDEBANDS = 5


def tooth_by_tooth(turns: Floats64, stage: PlanetaryStage) -> Floats64:
    """Maps of a planetary stage from turns of its carrier, (maps, sensors, planet teeth, ring teeth).

    Mesh cycle n falls on pixel (n mod planet, n mod ring); ``planet`` turns fill one map. Pixel =
    amplitude of the difference signal in one mesh cycle. ``turns`` has a multiple of ``ring`` samples a turn.
    """
    rows, columns = stage.size
    quiet = difference_signal(turns, columns, PLANETARY_SIDEBANDS)
    cycles = amplitude(quiet, columns)  # (turns, ring, sensors)
    count = len(cycles) // rows
    cycles = cycles[: count * rows].reshape(count, rows * columns, -1)
    maps = np.empty((count, cycles.shape[2], rows, columns))
    row, column = stage.pixel(np.arange(rows * columns))
    maps[:, :, row, column] = cycles.transpose(0, 2, 1)
    return maps


def tooth_by_turn(turns: Floats64, teeth: int, columns: int) -> Floats64:
    """Maps of a parallel stage from turns of its pinion, (maps, sensors, teeth, columns): a column is a turn.

    Pixel = amplitude of the difference signal while one tooth meshes. ``turns`` has a multiple of ``teeth``
    samples a turn.
    """
    cycles = amplitude(difference_signal(turns, teeth, PARALLEL_SIDEBANDS), teeth)  # (turns, teeth, sensors)
    count = len(cycles) // columns
    grouped = cycles[: count * columns].reshape(count, columns, teeth, -1)
    return np.asarray(grouped.transpose(0, 3, 2, 1), np.float64)


def order_by_turn(turns: Floats64, bands: int, columns: int) -> Floats64:
    """Maps of order bands, (maps, sensors, bands, columns): a column is a turn, row k the orders k to k+1.

    Pixel = amplitude in the band over one turn, whatever the angle at which it is heard: a map that does not
    ask which tooth was first. Nothing is removed, so it hears all that changed, not only teeth.
    """
    count = len(turns) // columns
    samples, sensors = turns.shape[1:]
    window = np.hanning(samples)[:, None]
    spectrum = np.abs(np.fft.rfft(turns * window, axis=1)) * 2 / samples  # (turns, orders, sensors)
    heard = np.sqrt((spectrum[:, 1 : bands + 1] ** 2 + spectrum[:, :bands] ** 2) / 2)
    grouped = heard[: count * columns].reshape(count, columns, bands, sensors)
    return np.asarray(grouped.transpose(0, 3, 2, 1), np.float64)
