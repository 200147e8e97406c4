"""Spectrum and order spectrum of a recording, with the lines that gears and bearings make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from handshift.core.errors import HandshiftError
from handshift.healthmap.vibration.channels import Floats64
from handshift.healthmap.vibration.map_maker import MapMaker
from handshift.healthmap.vibration.recording import Recording

HARMONICS = 3
"""Of the mesh, marked in the spectra."""
SIDEBANDS = 2
"""Pairs of sidebands around each mesh harmonic, one order of the shaft apart."""


@dataclass(frozen=True)
class Spectrum:
    """Amplitude over frequency or order.

    Attributes:
        places: Hertz, or orders of the shaft, (bins,).
        amplitude: Of a sine at each place, (bins,).
    """

    places: Floats64
    amplitude: Floats64

    def level(self, place: float, width: float) -> float:
        """Largest amplitude within ``width`` of a place; 0 beyond the spectrum."""
        near = np.abs(self.places - place) <= width
        return float(self.amplitude[near].max()) if near.any() else 0.0


def frequency_spectrum(recording: Recording, sensor: int) -> Spectrum:
    """Amplitude spectrum of one sensor with a Hann window, in hertz."""
    signal = recording.signal[:, sensor]
    return _spectrum(signal, recording.rate)


def order_spectrum(recording: Recording, maker: MapMaker, sensor: int) -> Spectrum:
    """Amplitude spectrum of the angular signal, in orders of the shaft.

    Lines stay sharp while the speed varies, because the signal is resampled to equal steps of angle.

    Args:
        recording: With a tachometer or a clear mesh tone.
        maker: Stage and tracking.
        sensor: Number of the sensor, from 0.

    Returns:
        The spectrum.

    Raises:
        MapError: The shaft angle cannot be tracked.
    """
    turns = maker.angular_signal(recording)  # (turns, samples, sensors)
    return _spectrum(turns[:, :, sensor].reshape(-1), turns.shape[1])


def mean_speed(recording: Recording, maker: MapMaker) -> float:
    """Tracked turns per second, which place orders on the frequency axis; the stated speed may be 3 % off."""
    angle = maker.shaft_angle(recording)
    known = np.flatnonzero(np.isfinite(angle))
    return float((angle[known[-1]] - angle[known[0]]) * recording.rate / (known[-1] - known[0]))


def marked_orders(maker: MapMaker, bearings: Mapping[str, float] | None = None) -> dict[str, list[float]]:
    """Orders to mark: mesh harmonics, their sidebands, and the fault orders of bearings.

    Args:
        maker: Stage of the machine.
        bearings: Fault orders by name, such as ``{"BPFO": 3.58, "BPFI": 5.42}``, in orders of the shaft.

    Returns:
        Orders by name.
    """
    mesh = [float(number * maker.meshes) for number in range(1, HARMONICS + 1)]
    sides = [line + side for line in mesh for step in range(1, SIDEBANDS + 1) for side in (-step, step)]
    found = {"mesh": mesh, "sidebands": sides}
    for name, order in (bearings or {}).items():
        if order <= 0:
            raise HandshiftError(f"--bearing {name}={order:g}: an order of the shaft is above 0")
        found[name] = [order * number for number in range(1, HARMONICS + 1)]
    return found


def _spectrum(signal: Floats64, rate: float) -> Spectrum:
    window = np.hanning(len(signal))
    amplitude = np.abs(np.fft.rfft((signal - signal.mean()) * window)) * 2 / window.sum()
    places = np.fft.rfftfreq(len(signal), 1 / rate)
    return Spectrum(np.asarray(places, np.float64), np.asarray(amplitude, np.float64))
