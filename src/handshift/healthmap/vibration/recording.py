"""Vibration recordings: reading and writing files."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import MapError
from handshift.core.loaders import LoadError, parse_npy, parse_npz, read_bytes

Floats64 = NDArray[np.float64]
MAX_SAMPLES = 500_000_000
_MAX_BYTES = 8 * MAX_SAMPLES
SHORTEST = 256


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


def read_recording(path: Path | str, rate: float | None = None) -> Recording:
    """Read ``.npz``, ``.npy`` or ``.wav``; nothing is ever unpickled.

    An ``.npz`` has ``counts`` and ``scale``, or ``signal``, and optionally ``rate`` and ``tacho``.

    Args:
        path: The file.
        rate: Sampling rate, used if the file does not store one.

    Returns:
        The recording.

    Raises:
        MapError: The file cannot be read, holds no recording, or its sampling rate is unknown.
    """
    path = Path(path)
    try:
        raw, stored_rate, tacho = _wave(path) if path.suffix.lower() == ".wav" else _arrays(path)
    except OSError as error:
        raise MapError(path, f"cannot be read ({error.strerror or error}); check the spelling") from error
    except (ValueError, KeyError, EOFError, LoadError) as error:
        wanted = "an .npz with `counts` and `scale`, an .npy of samples × sensors, or a .wav"
        raise MapError(path, f"not a recording ({error}); give {wanted}") from error
    rate = stored_rate or rate
    if not rate or rate <= 0:
        raise MapError(
            path, "does not store its sampling rate; give it as --sample-rate, in samples per second"
        )
    signal = np.asarray(raw, np.float64)
    signal = signal[:, None] if signal.ndim == 1 else signal
    if signal.ndim != 2 or len(signal) < SHORTEST or signal.shape[1] > len(signal):
        raise MapError(
            path, f"holds {signal.shape}, not samples × sensors; transpose it, or give a longer one"
        )
    if not np.isfinite(signal).all():
        raise MapError(path, "samples are NaN or infinite; cut them out")
    return Recording(signal, float(rate), path, tacho)


def write_recording(path: Path | str, signal: Floats64, rate: float, tacho: Floats64 | None = None) -> None:
    """Write an ``.npz`` that `read_recording` reads, with 16-bit samples.

    Args:
        path: The file to write.
        signal: (samples,) or (samples, sensors).
        rate: Samples per second.
        tacho: Times in seconds of one tacho pulse per turn.
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
    write_bytes(path, stream.getvalue())


def _arrays(path: Path) -> tuple[NDArray[np.generic], float | None, Floats64 | None]:
    content = read_bytes(path, _MAX_BYTES)
    if content.startswith(b"\x93NUMPY"):
        return parse_npy(content, path, _MAX_BYTES), None, None
    file = parse_npz(content, path, _MAX_BYTES)
    signal = file["counts"] * np.float64(file["scale"]) if "counts" in file else file["signal"]
    if signal.size > MAX_SAMPLES:
        raise ValueError(f"{signal.size:,} samples are over the limit of {MAX_SAMPLES:,}")
    rate = float(file["rate"]) if "rate" in file else None
    tacho = np.asarray(file["tacho"], np.float64) if "tacho" in file else None
    return signal, rate, tacho


def _wave(path: Path) -> tuple[NDArray[np.generic], float | None, Floats64 | None]:
    from scipy.io import wavfile

    rate, signal = wavfile.read(path)
    return signal, float(rate), None
