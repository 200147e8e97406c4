"""Vibration recordings: reading and writing files."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import MapError
from handshift.core.loaders import LoadError
from handshift.healthmap.vibration.channels import MAX_SAMPLES, SHORTEST, Channels, Floats64, read_channels
from handshift.healthmap.vibration.description import RecordingDescription, Tacho


@dataclass(frozen=True, slots=True)
class Recording:
    """Samples of one or more vibration sensors."""

    signal: Floats64 = field(repr=False)
    """(samples, sensors), in the recording's unit."""
    rate: float
    """Samples per second."""
    path: Path
    tacho: Floats64 | None = field(default=None, repr=False)
    """Times in seconds of one tacho pulse per turn; None without a tachometer."""


def read_recording(
    path: Path | str, rate: float | None = None, description: RecordingDescription | None = None
) -> Recording:
    """Read CSV, MAT, WAV, Parquet, UFF58, TDMS, npz or npy; nothing is ever unpickled.

    An ``.npz`` has ``counts`` and ``scale``, or ``signal``, and optionally ``rate`` and ``tacho``.

    Args:
        path: The file; its format is recognised by content.
        rate: Sampling rate, used if the file does not store one.
        description: Sampling rate, sensors and tachometer, if the file does not say.

    Returns:
        The recording.

    Raises:
        MapError: The file cannot be read, holds no recording, or its sampling rate is unknown.
        HandshiftError: A package for the format is not installed.
    """
    path = Path(path)
    description = description or RecordingDescription()
    try:
        channels = read_channels(path)
    except LoadError as error:
        raise MapError(path, f"{error.problem}; check the spelling") from error
    rate = channels.rate or rate or description.sample_rate
    if not rate or rate <= 0:
        raise MapError(
            path, "does not store its sampling rate; give it as --sample-rate, in samples per second"
        )
    tacho = channels.tacho
    if description.tacho is not None:
        tacho = _pulses(channels, description.tacho, rate, path)
    used = [name for name in channels.columns if not description.tacho or name != description.tacho.channel]
    names = description.sensors or tuple(used)
    signal = np.stack([_channel(channels, name, path) for name in names], axis=1)
    if len(signal) < SHORTEST or signal.size > MAX_SAMPLES:
        raise MapError(path, f"holds {len(signal):,} samples; {SHORTEST} to {MAX_SAMPLES:,} are read")
    if not np.isfinite(signal).all():
        raise MapError(path, "samples are NaN or infinite; cut them out")
    return Recording(signal, float(rate), path, tacho)


def _channel(channels: Channels, name: str, path: Path) -> Floats64:
    if name not in channels.columns:
        raise MapError(path, f"has no channel {name!r}; it has {', '.join(channels.columns)}")
    return channels.columns[name]


def _pulses(channels: Channels, tacho: Tacho, rate: float, path: Path) -> Floats64:
    """Times of tacho pulses, which may be an array of a length of its own."""
    if tacho.kind == "times" and tacho.channel in channels.events:
        return tacho.pulses(channels.events[tacho.channel], rate)
    return tacho.pulses(_channel(channels, tacho.channel, path), rate)


def write_recording(path: Path | str, signal: Floats64, rate: float, tacho: Floats64 | None = None) -> None:
    """Write what `recording_bytes` returns."""
    write_bytes(path, recording_bytes(signal, rate, tacho))


def recording_bytes(signal: Floats64, rate: float, tacho: Floats64 | None = None) -> bytes:
    """An ``.npz`` that `read_recording` reads, with 16-bit samples.

    Args:
        signal: (samples,) or (samples, sensors).
        rate: Samples per second.
        tacho: Times in seconds of one tacho pulse per turn.

    Returns:
        The content of the file.
    """
    largest = float(np.abs(signal).max()) or 1.0
    scale = np.float32(largest / np.iinfo(np.int16).max)
    counts = np.rint(signal / scale).clip(-32767, 32767).astype(np.int16)
    arrays: dict[str, NDArray[np.generic]] = {
        "counts": counts[:, None] if counts.ndim == 1 else counts,
        "scale": np.asarray(scale),
        "rate": np.asarray(rate),
    }
    if tacho is not None:
        arrays["tacho"] = tacho
    stream = BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()
