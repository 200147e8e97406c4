"""Channels of a recording from CSV, MAT (v5 and HDF5), WAV, Parquet, UFF58, TDMS, npz and npy files.

The format is recognised by content, never by name.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError, MapError
from handshift.core.loaders import parse_npy, parse_npz, read_bytes
from handshift.healthmap.vibration.text_table import TableLayout

Floats64 = NDArray[np.float64]
MAX_SAMPLES = 500_000_000
MAX_BYTES = 8 * MAX_SAMPLES
SHORTEST = 256
"""Samples of a channel; shorter arrays of a file are not channels."""
TIME_UNITS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}
UNEVEN = 0.01
"""Share by which the mean step of a time column may differ from the usual one; more is a gap."""
RATE_NAMES = frozenset({"rate", "fs", "sample_rate", "sampling_rate", "samplerate", "sr"})


@dataclass(frozen=True)
class Channels:
    """Named channels of equal length.

    Attributes:
        columns: By name, in the order of the file.
        rate: Samples per second, if the file stores it.
        tacho: Times of tacho pulses in seconds, if the file stores them as such.
        events: Arrays of another length, which may be times of tacho pulses.
    """

    columns: dict[str, Floats64]
    rate: float | None = None
    tacho: Floats64 | None = None
    events: dict[str, Floats64] = field(default_factory=dict)


def read_channels(path: Path) -> Channels:
    """Read all channels of a file.

    Args:
        path: The file.

    Returns:
        Its channels.

    Raises:
        MapError: The file is missing, damaged, or of none of the formats.
        HandshiftError: A package for the format is not installed.
    """
    content = read_bytes(path, MAX_BYTES)
    name, reader = _format(content)
    if reader is _npz and _is_workbook(content):
        raise MapError(path, "an Excel workbook; save the sheet as CSV")
    if reader is None:
        raise MapError(path, "not a recording: neither CSV, MAT, WAV, Parquet, UFF58, TDMS, npz nor npy")
    try:
        channels = reader(content, path)
    except ModuleNotFoundError as error:
        advice = "pip install 'handshift[recordings]'"
        raise HandshiftError(f"{name} needs {error.name}, which is not installed: {advice}") from error
    except Exception as error:  # readers raise many types on damaged files
        raise MapError(path, f"cannot be read as {name} ({error}); export it again") from error
    if not channels.columns:
        raise MapError(path, f"{name} without numeric channels of {SHORTEST} samples or more")
    lengths = {name: len(column) for name, column in channels.columns.items()}
    if len(set(lengths.values())) > 1:
        longest = max(lengths.values())
        kept = {name: column for name, column in channels.columns.items() if len(column) == longest}
        others = {name: column for name, column in channels.columns.items() if name not in kept}
        channels = replace(channels, columns=kept, events=channels.events | others)
    return _without_time(channels)


Reader = Callable[[bytes, Path], Channels]


def _format(content: bytes) -> tuple[str, Reader | None]:
    head = content[:1024]
    signatures: tuple[tuple[str, bytes, Reader], ...] = (
        ("npy", b"\x93NUMPY", _npy),
        ("npz", b"PK\x03\x04", _npz),
        ("WAV", b"RIFF", _wav),
        ("WAV", b"RIFX", _wav),
        ("Parquet", b"PAR1", _parquet),
        ("TDMS", b"TDSm", _tdms),
        ("MAT v7.3 (HDF5)", b"MATLAB 7.3", _hdf5),
        ("HDF5", b"\x89HDF\r\n\x1a\n", _hdf5),
        ("MAT v5", b"MATLAB 5.0", _mat),
    )
    for name, signature, reader in signatures:
        if head.startswith(signature):
            return name, reader
    if head.lstrip(b"\r\n").split(b"\n", 1)[0].strip() == b"-1":
        return "UFF58", _uff
    return ("CSV", _csv) if TableLayout.of(content) is not None else ("", None)


def _is_workbook(content: bytes) -> bool:
    """Whether a ZIP file, which npz is too, is an Excel workbook: names stand uncompressed in it."""
    return b"xl/workbook.xml" in content


def _npy(content: bytes, path: Path) -> Channels:
    return Channels(_columns("", parse_npy(content, path, MAX_BYTES)))


def _npz(content: bytes, path: Path) -> Channels:
    file = parse_npz(content, path, MAX_BYTES)
    if "counts" in file or "signal" in file:
        signal = file["counts"] * np.float64(file["scale"]) if "counts" in file else file["signal"]
        tacho = np.asarray(file["tacho"], np.float64) if "tacho" in file else None
        return Channels(_columns("", signal), float(file["rate"]) if "rate" in file else None, tacho)
    return _named_arrays(file)


def _wav(content: bytes, path: Path) -> Channels:
    from scipy.io import wavfile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # chunks that scipy does not know
        rate, signal = wavfile.read(BytesIO(content))
    return Channels(_columns("", signal), float(rate))


def _mat(content: bytes, path: Path) -> Channels:
    from scipy.io import loadmat

    stream: Any = BytesIO(content)  # the stubs know names only
    return _named_arrays(loadmat(stream))


def _hdf5(content: bytes, path: Path) -> Channels:
    h5py: Any = import_module("h5py")
    found: dict[str, Any] = {}
    with h5py.File(BytesIO(content), "r") as file:
        file.visititems(
            lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None
        )
    return _named_arrays({name: np.asarray(value) for name, value in found.items() if "#" not in name})


def _parquet(content: bytes, path: Path) -> Channels:
    table = import_module("pyarrow.parquet").read_table(BytesIO(content))
    return _named_arrays({name: table.column(name).to_numpy() for name in table.column_names})


def _tdms(content: bytes, path: Path) -> Channels:
    file = import_module("nptdms").TdmsFile.read(BytesIO(content))
    columns: dict[str, Floats64] = {}
    rate = None
    for group in file.groups():
        for channel in group.channels():
            columns |= _columns(channel.name, np.asarray(channel[:]))
            step = channel.properties.get("wf_increment")
            rate = 1 / float(step) if step else rate
    return Channels(columns, rate)


def _uff(content: bytes, path: Path) -> Channels:
    sets = import_module("pyuff").UFF(str(path)).read_sets()
    columns: dict[str, Floats64] = {}
    rate = None
    for number, one in enumerate(sets if isinstance(sets, list) else [sets], 1):
        if one.get("type") != 58:
            continue
        name = str(one.get("id1") or "").strip() or str(number)
        columns |= _columns(name if name not in columns else f"{name} {number}", np.asarray(one["data"]))
        rate = 1 / float(one["abscissa_inc"]) if one.get("abscissa_inc") else rate
    return Channels(columns, rate)


def _csv(content: bytes, path: Path) -> Channels:
    layout = TableLayout.of(content)
    if layout is None:
        raise ValueError("the first lines hold no numbers")
    return Channels(dict(layout.read(content)))


def _named_arrays(arrays: dict[str, Any]) -> Channels:
    """Numeric arrays of enough samples as channels, shorter ones as events, a scalar named so as the rate."""
    columns: dict[str, Floats64] = {}
    events: dict[str, Floats64] = {}
    rate = None
    for name, value in arrays.items():
        array = np.asarray(value)
        if name.startswith("__") or array.dtype.kind not in "iuf":
            continue
        if array.size == 1 and name.lower().rsplit("/", 1)[-1] in RATE_NAMES:
            rate = float(array.reshape(-1)[0])
        elif array.size >= SHORTEST:
            columns |= _columns(name, array)
        elif array.size == max(array.shape, default=0):
            events |= _columns(name, array)
    return Channels(columns, rate, events=events)


def _columns(name: str, values: NDArray[Any]) -> dict[str, Floats64]:
    """Channels of an array, named ``name``, or ``name1`` and on if there are several.

    Samples lie along the longer axis: MATLAB's HDF5 files have them along the other one than its v5 files.
    """
    array = np.asarray(values)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise ValueError(f"holds {array.dtype} of shape {array.shape}, not samples × sensors")
    if array.ndim == 1:
        return {name or "1": np.asarray(array, np.float64)}
    array = array.T if array.shape[1] > array.shape[0] else array
    return {f"{name}{at + 1}": np.asarray(array[:, at], np.float64) for at in range(array.shape[1])}


def _without_time(channels: Channels) -> Channels:
    """A column of equally spaced times gives the rate and is no channel."""
    steps = {name: step for name in channels.columns if (step := _time_unit(name)) is not None}
    if not steps or len(channels.columns) == 1:
        return channels
    name, unit = next(iter(steps.items()))
    seconds = unit * channels.columns[name]
    rest = {other: column for other, column in channels.columns.items() if other != name}
    usual = float(np.median(np.diff(seconds)))
    mean = float(seconds[-1] - seconds[0]) / (len(seconds) - 1)  # finer than times rounded to microseconds
    step = mean if abs(mean - usual) < UNEVEN * usual else usual
    return replace(channels, columns=rest, rate=channels.rate or (1 / step if step > 0 else None))


def _time_unit(name: str) -> float | None:
    """Seconds in the unit of a time column, ``Zeit [ms]`` or ``time_s``; None for any other column."""
    found = re.fullmatch(
        r"(time|t|seconds|zeit)(?:[ _]*[\[(/]?\s*(s|sec|ms|us|µs)\s*[\])]?)?", name.strip().lower()
    )
    return None if found is None else TIME_UNITS[found[2] or "s"]
