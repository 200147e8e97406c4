"""Order tracking: shaft angle from tacho pulses or the phase of the mesh tone, angular resampling."""

from __future__ import annotations

import logging

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import medfilt, resample, spectrogram

from handshift.core.errors import MapError
from handshift.healthmap.vibration.channels import Floats64
from handshift.healthmap.vibration.recording import Recording

log = logging.getLogger(__name__)
SEARCH = 0.03
"""Relative deviation of the true speed from the given one that is searched."""
WINDOW = 8
"""Turns in one short-time spectrum."""
REFINEMENTS = 2
NO_TONE, DOUBTFUL_TONE = 0.5, 0.65
"""Share of the power within one order of the tone: ≥ 0.73 on real recordings, ≤ 0.62 at wrong speeds."""
OVERSAMPLING = 4
"""Before cubic interpolation, which attenuates frequencies near half the sampling rate."""


def angle_from_tacho(recording: Recording) -> Floats64:
    """Shaft angle from tacho pulses by a cubic spline.

    Args:
        recording: With one tacho pulse a turn.

    Returns:
        Angle in turns at every sample, (samples,); NaN before the first and after the last pulse.

    Raises:
        MapError: Fewer than 4 pulses, or pulses that are not in order of time.
    """
    pulses = recording.tacho
    if pulses is None or len(pulses) < 4:
        raise MapError(recording.path, "has fewer than 4 tacho pulses; track the mesh tone instead")
    if (np.diff(pulses) <= 0).any():
        raise MapError(recording.path, "tacho pulses are not in order of time; sort them")
    seconds = np.arange(len(recording.signal)) / recording.rate
    return np.asarray(CubicSpline(pulses, np.arange(len(pulses)), extrapolate=False)(seconds), np.float64)


def angle_from_tone(
    recording: Recording, sensor: int, order: float, speed: float, bandwidth: float = 0.2
) -> Floats64:
    """Shaft angle from the phase of a tone, by phase demodulation.

    θ = (φ + arg(x·e^(−iφ) ∗ g))/(2π·order), where φ is a rough phase of the tone from short-time spectra and
    g a low-pass filter. The angle is relative: the first tooth is unknown.

    Args:
        recording: Samples of all sensors.
        sensor: Number of the sensor, from 0.
        order: Of the tone, per turn.
        speed: Turns per second, to within 3 %.
        bandwidth: Of g, in multiples of the shaft frequency; too narrow for sidebands.

    Returns:
        Angle in turns at every sample, (samples,); NaN in the first and last turn, which suffer from the ends
        of the recording.

    Raises:
        MapError: The recording is too short or too slow for the order, or there is no clear tone.
    """
    x = recording.signal[:, sensor]
    if order * speed * (1 + SEARCH) >= recording.rate / 2 or len(x) < 2 * WINDOW * recording.rate / speed:
        problem = f"order {order:g} at {speed:g} turns per second cannot be tracked"
        raise MapError(recording.path, f"{problem}; check the speed, or give a longer recording")
    angle = _rough_angle(x, recording.rate, order, speed)
    away = np.abs(np.fft.fftfreq(len(x), 1 / recording.rate)) / speed  # in orders
    for _ in range(REFINEMENTS):
        beat = np.fft.fft(x * np.exp(-2j * np.pi * order * angle))
        slow = np.fft.ifft(beat * np.clip(1.5 - away / bandwidth, 0, 1))
        angle = angle + np.unwrap(np.angle(slow)) / (2 * np.pi * order)
    _check_tone(x, order, angle, away, recording)
    edge = round(recording.rate / speed)
    angle[:edge] = angle[len(angle) - edge :] = np.nan
    return angle


def _check_tone(x: Floats64, order: float, angle: Floats64, away: Floats64, recording: Recording) -> None:
    """A correctly tracked tone has constant phase and holds most of the power around it."""
    power = np.abs(np.fft.fft(x * np.exp(-2j * np.pi * order * angle))) ** 2
    share = float(power[away < 0.02].sum() / power[away < 0.9].sum())
    doubt = f"no clear tone at order {order:g} ({share:.0%} of the power around it)"
    if share < NO_TONE:
        raise MapError(recording.path, f"{doubt}; check --speed, --teeth, --order and --sensor")
    if share < DOUBTFUL_TONE:
        log.warning("%s: %s; check --speed, --teeth, --order and --sensor", recording.path, doubt)


def _rough_angle(x: Floats64, rate: float, order: float, speed: float) -> Floats64:
    """Integrate the frequency of the strongest line near the tone over short-time spectra."""
    length = round(WINDOW * rate / speed)
    frequency, seconds, power = spectrogram(
        x, rate, "hann", length, length - round(rate / speed), nfft=4 * length, mode="magnitude"
    )
    near = np.abs(frequency - order * speed) <= SEARCH * order * speed
    line = medfilt(frequency[near][power[near].argmax(axis=0)], 5 if len(seconds) >= 5 else 1)
    line[[0, -1]] = line[[1, -2]] if len(line) > 2 else line[[0, -1]]  # the filter pads with zeros
    smooth = np.interp(np.arange(len(x)) / rate, seconds, line)
    return np.asarray(np.cumsum(smooth) / (rate * order), np.float64)


def resample_to_angle(recording: Recording, angle: Floats64, samples: int) -> Floats64:
    """Resample the signal to equal steps of shaft angle.

    Args:
        recording: Samples of all sensors.
        angle: In turns at every sample, (samples,); NaN where unknown.
        samples: Steps per turn.

    Returns:
        All complete turns, (turns, samples, sensors).

    Raises:
        MapError: The angle does not increase, or there is no complete turn.
    """
    known = np.flatnonzero(np.isfinite(angle))
    if len(known) < 2 or (np.diff(angle[known]) <= 0).any():
        raise MapError(recording.path, "the tracked shaft angle does not increase; check speed and order")
    first, last = np.ceil(angle[known[0]]), np.floor(angle[known[-1]])
    turns = int(last - first)
    if turns < 1:
        raise MapError(recording.path, "holds no complete turn; give a longer recording")
    steps = first + np.arange(turns * samples) / samples
    places = np.interp(steps, angle[known], known)  # in samples of the recording
    count = len(recording.signal)
    finer = resample(recording.signal, OVERSAMPLING * count, axis=0)
    values = CubicSpline(np.arange(OVERSAMPLING * count), finer, axis=0)(OVERSAMPLING * places)
    return np.asarray(values, np.float64).reshape(turns, samples, -1)
