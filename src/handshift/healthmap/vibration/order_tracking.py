"""The angle of the shaft at every sample, from a tachometer or from the tone of the meshing teeth itself."""

from __future__ import annotations

import logging

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import medfilt, resample, spectrogram

from handshift.core.errors import MapError
from handshift.healthmap.vibration.recording import Floats64, Recording

log = logging.getLogger(__name__)
SEARCH = 0.03
"""How far the true speed may lie from the one given."""
WINDOW = 8
"""Turns in one short spectrum."""
REFINEMENTS = 2
NO_TONE, DOUBTFUL_TONE = 0.5, 0.65
"""Of the power within an order of the tone; on real recordings 0.73 or more, at wrong speeds 0.62 at most."""
OVERSAMPLING = 4
"""Before the cubic, which would dull what lies near half the sampling rate."""


def angle_from_tacho(recording: Recording) -> Floats64:
    """Turns of the shaft at every sample, (samples,), by a cubic through the pulses; NaN outside of them."""
    pulses = recording.tacho
    if pulses is None or len(pulses) < 4:
        raise MapError(recording.path, "has fewer than 4 tacho pulses; track it by the mesh tone instead")
    if (np.diff(pulses) <= 0).any():
        raise MapError(recording.path, "tacho pulses do not rise in time; sort them")
    seconds = np.arange(len(recording.signal)) / recording.rate
    return np.asarray(CubicSpline(pulses, np.arange(len(pulses)), extrapolate=False)(seconds), np.float64)


def angle_from_tone(
    recording: Recording, sensor: int, order: float, speed: float, bandwidth: float = 0.2
) -> Floats64:
    """Turns of the shaft at every sample, (samples,), from the phase of the tone at ``order`` a turn.

    θ = (φ + arg(x·e^(−iφ) ∗ g))/(2π·order): φ is the phase of the tone as followed roughly through short
    spectra, and g passes ``bandwidth`` times the shaft's frequency to either side, too little for sidebands.
    Only turns are known, not which tooth is the first; the first and last turn suffer from the ends of the
    recording and are NaN. ``speed`` in turns a second is needed to within 3 %.
    """
    x = recording.signal[:, sensor]
    if order * speed * (1 + SEARCH) >= recording.rate / 2 or len(x) < 2 * WINDOW * recording.rate / speed:
        problem = f"order {order:g} at {speed:g} turns a second cannot be followed in it"
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
    """A tone that was followed rightly stands still, and holds most of the power round it."""
    power = np.abs(np.fft.fft(x * np.exp(-2j * np.pi * order * angle))) ** 2
    share = float(power[away < 0.02].sum() / power[away < 0.9].sum())
    doubt = f"no clear tone at order {order:g} ({share:.0%} of the power round it)"
    if share < NO_TONE:
        raise MapError(recording.path, f"{doubt}; check --speed, --teeth, --order and --sensor")
    if share < DOUBTFUL_TONE:
        log.warning("%s: %s; check --speed, --teeth, --order and --sensor", recording.path, doubt)


def _rough_angle(x: Floats64, rate: float, order: float, speed: float) -> Floats64:
    """Follow the strongest line near the tone through short spectra, and add its frequency up."""
    length = round(WINDOW * rate / speed)
    frequency, seconds, power = spectrogram(
        x, rate, "hann", length, length - round(rate / speed), nfft=4 * length, mode="magnitude"
    )
    near = np.abs(frequency - order * speed) <= SEARCH * order * speed
    line = medfilt(frequency[near][power[near].argmax(axis=0)], 5 if len(seconds) >= 5 else 1)
    line[[0, -1]] = line[[1, -2]] if len(line) > 2 else line[[0, -1]]  # the filter pads with zeros
    smooth = np.interp(np.arange(len(x)) / rate, seconds, line)
    return np.asarray(np.cumsum(smooth) / (rate * order), np.float64)


def over_angle(recording: Recording, angle: Floats64, samples: int) -> Floats64:
    """The signal at ``samples`` equal steps of angle in every whole turn, (turns, samples, sensors)."""
    known = np.flatnonzero(np.isfinite(angle))
    if len(known) < 2 or (np.diff(angle[known]) <= 0).any():
        raise MapError(recording.path, "the shaft seems to stand still or turn back; check speed and order")
    first, last = np.ceil(angle[known[0]]), np.floor(angle[known[-1]])
    turns = int(last - first)
    if turns < 1:
        raise MapError(recording.path, "not one whole turn in it; give a longer recording")
    steps = first + np.arange(turns * samples) / samples
    places = np.interp(steps, angle[known], known)  # in samples of the recording
    count = len(recording.signal)
    finer = resample(recording.signal, OVERSAMPLING * count, axis=0)
    values = CubicSpline(np.arange(OVERSAMPLING * count), finer, axis=0)(OVERSAMPLING * places)
    return np.asarray(values, np.float64).reshape(turns, samples, -1)
