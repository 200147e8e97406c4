"""Synchronous average, difference signal, and the layout of angular signals as maps."""

from __future__ import annotations

import numpy as np

from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.vibration.channels import Floats64

HALF_WIDTH = 0.25
"""Of a removed line, in orders; lines half an order away are kept."""


def synchronous_average(turns: Floats64, count: int, cycle: int = 1) -> Floats64:
    """Time-synchronous average over ``count`` cycles of ``cycle`` turns, after which the same teeth meet.

    Components that are not periodic in the cycle average out. Turns that fill no complete average are
    dropped.

    Args:
        turns: (turns, samples, sensors).
        count: Cycles to average.
        cycle: Turns of one cycle.

    Returns:
        (turns // (count·cycle)·cycle, samples, sensors).
    """
    blocks = len(turns) // (count * cycle)
    grouped = turns[: blocks * count * cycle].reshape(blocks, count, cycle, *turns.shape[1:])
    return np.asarray(grouped.mean(axis=1), np.float64).reshape(-1, *turns.shape[1:])


def difference_signal(turns: Floats64, mesh_order: int, sidebands: int) -> Floats64:
    """Difference (residual) signal: the signal without mesh harmonics and their sidebands.

    Healthy teeth make a tone at ``mesh_order`` and its harmonics, with sidebands from run-out and, in a
    planetary stage, from planets passing the sensor. A broken tooth makes an impact once a turn, which
    spreads over all orders and is mostly kept.

    Args:
        turns: (turns, samples, sensors).
        mesh_order: Meshes per turn.
        sidebands: Pairs of sidebands removed around each harmonic.

    Returns:
        The same shape.
    """
    count, samples, _ = turns.shape
    spectrum = np.fft.rfft(turns.reshape(count * samples, -1), axis=0)
    order = np.arange(len(spectrum)) / count
    off = np.abs((order + mesh_order / 2) % mesh_order - mesh_order / 2)  # distance to the nearest harmonic
    removed = (off <= sidebands + HALF_WIDTH) & (np.abs(off - np.rint(off)) <= HALF_WIDTH)
    spectrum[removed] = 0
    return np.asarray(np.fft.irfft(spectrum, count * samples, axis=0), np.float64).reshape(turns.shape)


def amplitude(turns: Floats64, windows: int) -> Floats64:
    """Root mean square in equal windows of a turn, (turns, samples, sensors) → (turns, windows, sensors)."""
    count, samples, sensors = turns.shape
    power = (turns.reshape(count, windows, samples // windows, sensors) ** 2).mean(axis=2)
    return np.asarray(np.sqrt(power), np.float64)


SAMPLES_PER_MESH = 16
PARALLEL_SIDEBANDS = 1
PLANETARY_SIDEBANDS = 5


def tooth_by_tooth(turns: Floats64, stage: PlanetaryStage) -> Floats64:
    """Tooth × tooth maps of a planetary stage.

    Mesh cycle n falls on pixel (n mod planet, n mod ring); ``planet`` turns fill one map. Pixel = amplitude
    of the difference signal in one mesh cycle.

    Args:
        turns: Of the carrier, (turns, samples, sensors), samples a multiple of the ring's teeth.
        stage: Tooth numbers.

    Returns:
        (maps, sensors, planet teeth, ring teeth).
    """
    rows, columns = stage.size
    residual = difference_signal(turns, columns, PLANETARY_SIDEBANDS)
    cycles = amplitude(residual, columns)  # (turns, ring, sensors)
    count = len(cycles) // rows
    cycles = cycles[: count * rows].reshape(count, rows * columns, -1)
    maps = np.empty((count, cycles.shape[2], rows, columns))
    row, column = stage.pixel(np.arange(rows * columns))
    maps[:, :, row, column] = cycles.transpose(0, 2, 1)
    return maps


def tooth_by_turn(turns: Floats64, teeth: int, columns: int) -> Floats64:
    """Tooth × turn maps of a parallel stage. Pixel = amplitude of the difference signal while a tooth meshes.

    Args:
        turns: Of the pinion, (turns, samples, sensors), samples a multiple of the teeth.
        teeth: Of the pinion.
        columns: Turns in one map.

    Returns:
        (maps, sensors, teeth, columns).
    """
    cycles = amplitude(difference_signal(turns, teeth, PARALLEL_SIDEBANDS), teeth)  # (turns, teeth, sensors)
    count = len(cycles) // columns
    grouped = cycles[: count * columns].reshape(count, columns, teeth, -1)
    return np.asarray(grouped.transpose(0, 3, 2, 1), np.float64)


def order_by_turn(turns: Floats64, bands: int, columns: int) -> Floats64:
    """Order band × turn maps; row k holds the orders k to k+1.

    Pixel = amplitude in the band over one turn, independent of the angle, so that the first tooth need not be
    known. Nothing is removed: the map responds to every change of the spectrum, not only to teeth.

    Args:
        turns: (turns, samples, sensors).
        bands: Number of bands.
        columns: Turns in one map.

    Returns:
        (maps, sensors, bands, columns).
    """
    count = len(turns) // columns
    samples, sensors = turns.shape[1:]
    window = np.hanning(samples)[:, None]
    spectrum = np.abs(np.fft.rfft(turns * window, axis=1)) * 2 / samples  # (turns, orders, sensors)
    levels = np.sqrt((spectrum[:, 1 : bands + 1] ** 2 + spectrum[:, :bands] ** 2) / 2)
    grouped = levels[: count * columns].reshape(count, columns, bands, sensors)
    return np.asarray(grouped.transpose(0, 3, 2, 1), np.float64)
