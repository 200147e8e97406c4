"""Channels of a recording from CSV, MAT (v5 and HDF5), WAV, Parquet, UFF58, TDMS, npz and npy files.

The format is recognised by content, never by name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError, MapError
from handshift.core.loaders import parse_npy, parse_npz, read_bytes

Floats64 = NDArray[np.float64]
MAX_SAMPLES = 500_000_000
MAX_BYTES = 8 * MAX_SAMPLES
SHORTEST = 256
"""Samples of a channel; shorter arrays of a file are not channels."""
TIME_NAMES = frozenset({"time", "t", "seconds", "time_s", "time [s]", "time (s)", "zeit"})
RATE_NAMES = frozenset({"rate", "fs", "sample_rate", "sampling_rate", "samplerate", "sr"})


@dataclass(frozen=True)
class Channels:
    """Named channels of equal length.

    Attributes:
        columns: By name, in the order of the file.
        rate: Samples per second, if the file stores it.
        tacho: Times of tacho pulses in seconds, if the file stores them as such.
    """

    columns: dict[str, Floats64]
    rate: float | None = None
    tacho: Floats64 | None = None


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
    if reader is None:
        raise MapError(path, "not a recording: neither CSV, MAT, WAV, Parquet, UFF58, TDMS, npz nor npy")
    try:
        channels = reader(content, path)
    except ModuleNotFoundError as error:
        advice = "pip install 'handshift[recordings]'"
        raise HandshiftError(f"{name} needs {error.name}, which is not installed: {advice}") from error
    except Exception as error:  # readers raise many types on damaged files
        raise MapError(path, f"a {name} file that cannot be read ({error}); export it again") from error
    if not channels.columns:
        raise MapError(path, f"a {name} file without numeric channels of {SHORTEST} samples or more")
    lengths = {name: len(column) for name, column in channels.columns.items()}
    if len(set(lengths.values())) > 1:
        longest = max(lengths.values())
        kept = {name: column for name, column in channels.columns.items() if len(column) == longest}
        channels = Channels(kept, channels.rate, channels.tacho)
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
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "", None
    return ("CSV", _csv) if _delimiter(text) is not None else ("", None)


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
    text = content.decode("utf-8-sig")
    delimiter = _delimiter(text) or ","
    if delimiter == ";" and "." not in text:
        text = text.replace(",", ".")  # decimal comma
    first = text.split("\n", 1)[0]
    cells = [cell.strip().strip('"') for cell in first.split(delimiter if delimiter != " " else None)]
    header = not all(map(_is_number, cells))
    values = np.loadtxt(
        StringIO(text), delimiter=None if delimiter == " " else delimiter, skiprows=int(header), ndmin=2
    )
    names = cells if header else [str(number + 1) for number in range(values.shape[1])]
    return Channels({name: values[:, at] for at, name in enumerate(names)})


def _delimiter(text: str) -> str | None:
    """The delimiter of the second of at least three lines with equally many cells; None if it is no table."""
    lines = [line for line in text.split("\n") if line.strip()][:-1][:5]  # the last may be cut off
    if len(lines) < 3:
        return None
    for delimiter in (";", "\t", ",", " "):
        cells = [line.split(delimiter if delimiter != " " else None) for line in lines]
        decimal = delimiter == ";"
        numeric = all(_is_number(cell.replace(",", ".") if decimal else cell) for cell in cells[1])
        if len({len(row) for row in cells}) == 1 and (len(cells[1]) > 1 or delimiter == ",") and numeric:
            return delimiter
    return None


def _named_arrays(arrays: dict[str, Any]) -> Channels:
    """Numeric arrays of enough samples as channels, scalars with the name of a rate as the rate."""
    columns: dict[str, Floats64] = {}
    rate = None
    for name, value in arrays.items():
        array = np.asarray(value)
        if name.startswith("__") or array.dtype.kind not in "iuf":
            continue
        if array.size == 1 and name.lower().rsplit("/", 1)[-1] in RATE_NAMES:
            rate = float(array.reshape(-1)[0])
        elif array.size >= SHORTEST:
            columns |= _columns(name, array)
    return Channels(columns, rate)


def _columns(name: str, values: NDArray[Any]) -> dict[str, Floats64]:
    """Columns of samples × channels, named ``name``, or ``name1`` and on if there are several."""
    array = np.asarray(values)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise ValueError(f"holds {array.dtype} of shape {array.shape}, not samples × sensors")
    if array.ndim == 1:
        return {name or "1": np.asarray(array, np.float64)}
    if array.shape[1] > array.shape[0]:
        raise ValueError(f"holds {array.shape}, not samples × sensors; transpose it")
    return {f"{name}{at + 1}": np.asarray(array[:, at], np.float64) for at in range(array.shape[1])}


def _without_time(channels: Channels) -> Channels:
    """A column of equally spaced times gives the rate and is no channel."""
    name = next((name for name in channels.columns if name.strip().lower() in TIME_NAMES), None)
    if name is None or len(channels.columns) == 1:
        return channels
    seconds = channels.columns[name]
    rest = {other: column for other, column in channels.columns.items() if other != name}
    step = float(np.median(np.diff(seconds)))
    return Channels(rest, channels.rate or (1 / step if step > 0 else None), channels.tacho)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
