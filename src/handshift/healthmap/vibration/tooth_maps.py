"""What of a signal repeats with every turn, and what is left without the regular meshing.

Signals over angle become maps.
"""

from __future__ import annotations

import numpy as np

from handshift.healthmap.gears import PlanetaryStage
from handshift.healthmap.vibration.recording import Floats64

HALF_WIDTH = 0.25  # orders; a tone's neighbours half an order off stay


def synchronous_average(turns: Floats64, count: int, cycle: int = 1) -> Floats64:
    """Mean over ``count`` cycles of ``cycle`` turns after which the same teeth meet again.

    (turns, samples, sensors) → (turns // (count·cycle)·cycle, samples, sensors): what turns otherwise
    averages out. Turns that fill no whole mean are left out.
    """
    blocks = len(turns) // (count * cycle)
    parted = turns[: blocks * count * cycle].reshape(blocks, count, cycle, *turns.shape[1:])
    return np.asarray(parted.mean(axis=1), np.float64).reshape(-1, *turns.shape[1:])


def difference_signal(turns: Floats64, mesh_order: int, sidebands: int) -> Floats64:
    """The signal without the mesh harmonics and so many pairs of sidebands round each, same shape.

    Healthy teeth make a tone at ``mesh_order`` and its harmonics, with sidebands from run-out and, in a
    planetary stage, from planets passing the sensor. A broken tooth makes a click once a turn, which is
    spread over all orders: most of it stays.
    """
    count, samples, _ = turns.shape
    spectrum = np.fft.rfft(turns.reshape(count * samples, -1), axis=0)
    order = np.arange(len(spectrum)) / count
    off = np.abs((order + mesh_order / 2) % mesh_order - mesh_order / 2)  # distance to the nearest harmonic
    regular = (off <= sidebands + HALF_WIDTH) & (np.abs(off - np.rint(off)) <= HALF_WIDTH)
    spectrum[regular] = 0
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
