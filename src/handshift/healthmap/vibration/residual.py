"""What of a signal repeats with every turn, and what is left without the regular meshing."""

from __future__ import annotations

import numpy as np

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
