"""Read JSON files and NumPy arrays that may be damaged or hostile.

Sizes are checked before memory is allocated: a file's length before it is read, an array's shape in its
header before its values are. Nothing is unpickled. Whatever is wrong with a file is one `LoadError`.
"""

from __future__ import annotations

import json
import math
import os
import stat
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from handshift.core.errors import PathError

LARGEST_JSON = 512 << 20
"""Bytes of a JSON file: the findings of about 5,000 pages."""
LARGEST_YAML = 4 << 20
LARGEST_ARRAY = 4 << 30
"""Bytes of one array that is read into memory."""
_PLAIN_KINDS = "biufcSU"
"""Kinds of dtype that hold values only: numbers, truth values, text."""


class LoadError(PathError):
    """A file that is missing, truncated, too large or not of the kind expected."""


def read_bytes(path: Path | str, limit: int) -> bytes:
    """Read a regular file of at most ``limit`` bytes.

    Raises:
        LoadError: The file is missing, not a regular file, or longer.
    """
    path = Path(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # opening a FIFO that nobody writes to would never return
            raise LoadError(path, "is not a regular file; give the file itself")
        if status.st_size > limit:
            raise LoadError(path, f"has {status.st_size:,} bytes; at most {limit:,} are read")
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        raise LoadError(path, f"cannot be read ({error.strerror or error})") from error
    except ValueError as error:  # a name with a NUL byte
        raise LoadError(path, f"cannot be read ({error})") from error


def plain_name(name: object) -> str:
    """Check that a file name found in a record names a file in the record's own folder.

    Raises:
        ValueError: It is no string, empty, hidden, or holds a separator, a drive or a control character.
    """
    if isinstance(name, str) and any(mark in name for mark in "/\\:"):
        raise ValueError(f"{name!r} leads out of the folder")
    if not isinstance(name, str) or not name or name.startswith(".") or not name.isprintable():
        raise ValueError(f"{name!r} is not a file name")
    return name


def read_json(path: Path | str, what: str = "JSON", limit: int = LARGEST_JSON) -> Any:
    """Read one JSON value.

    Args:
        path: A file in UTF-8, with or without byte order mark.
        what: What the file should be, for the error message: "a calibration", "a gallery".
        limit: Largest length in bytes.

    Returns:
        The value, in dicts, lists, strings, numbers, truth values and None.

    Raises:
        LoadError: The file is missing, too large, or not JSON.
    """
    content = read_bytes(path, limit)
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise LoadError(path, f"not {what} (incomplete or damaged JSON: {_short(error)})") from error


def read_json_object(
    path: Path | str, what: str = "a JSON object", limit: int = LARGEST_JSON
) -> dict[str, Any]:
    """Read a JSON file that holds an object; arguments and errors as for `read_json`.

    Raises:
        LoadError: As `read_json`, or the file holds a list, a number or the like.
    """
    content = read_json(path, what, limit)
    if not isinstance(content, dict):
        raise LoadError(path, f"not {what} (holds a JSON {_kind(content)} instead of an object)")
    return content


def read_text(path: Path | str, what: str = "text", limit: int = LARGEST_JSON) -> str:
    """Read a file in UTF-8, with or without byte order mark.

    Raises:
        LoadError: The file is missing, too large, or not in UTF-8.
    """
    try:
        return read_bytes(path, limit).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError(path, f"not {what} in UTF-8 ({_short(error)})") from error


def read_yaml(path: Path | str, what: str = "YAML", loader: Any = None) -> Any:
    """Read a YAML file; it can hold plain values only.

    Args:
        path: A file in UTF-8.
        what: What the file should be, for the error message.
        loader: A loader derived from `yaml.SafeLoader`, which is the default.

    Raises:
        LoadError: The file is missing, too large, or not YAML.
    """
    import yaml  # of the extra `train`

    text = read_text(path, what, LARGEST_YAML)
    try:
        return yaml.load(text, Loader=loader or yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: the date 2026-99-99
        raise LoadError(path, f"not {what} ({_short(error)})") from error


def read_npy(path: Path | str, limit: int = LARGEST_ARRAY) -> NDArray[Any]:
    """Read an ``.npy`` file into memory.

    Raises:
        LoadError: The file is missing, truncated, not an array of plain values, or larger than ``limit``.
    """
    return parse_npy(read_bytes(path, limit + (1 << 16)), path, limit)


def parse_npy(content: bytes, path: Path | str, limit: int = LARGEST_ARRAY) -> NDArray[Any]:
    """Read an array from the bytes of an ``.npy`` file; ``path`` names it in errors."""
    return _read_array(BytesIO(content), Path(path), len(content), limit)


def map_npy(path: Path | str) -> NDArray[Any]:
    """Open an ``.npy`` file as a read-only memory map, without reading its values.

    Raises:
        LoadError: The file is missing, truncated, or not an array of plain values.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            shape, fortran, dtype = _header(file, path, size, limit=size)
            start = file.tell()
        if 0 in shape:  # an empty file region cannot be mapped
            return np.zeros(shape, dtype)
        return np.memmap(path, dtype, "r", start, shape, "F" if fortran else "C")
    except (OSError, ValueError) as error:
        raise LoadError(path, f"cannot be read as an array ({_short(error)})") from error


def read_npz(path: Path | str, limit: int = LARGEST_ARRAY) -> dict[str, NDArray[Any]]:
    """Read all arrays of an ``.npz`` file into memory.

    Args:
        path: The file.
        limit: Largest sum of the arrays' bytes, as their headers and the archive's directory state them.

    Returns:
        The arrays by name.

    Raises:
        LoadError: The file is missing, truncated, holds something else than arrays, or is too large.
    """
    return parse_npz(read_bytes(path, limit), path, limit)


def parse_npz(content: bytes, path: Path | str, limit: int = LARGEST_ARRAY) -> dict[str, NDArray[Any]]:
    """Read the arrays from the bytes of an ``.npz`` file; ``path`` names it in errors."""
    path = Path(path)
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > limit:
                raise LoadError(path, f"holds more than {limit:,} bytes of arrays")
            arrays = {}
            for member in members:
                with archive.open(member) as file:
                    array = _read_array(file, path, member.file_size, limit)
                arrays[member.filename.removesuffix(".npy")] = array
            return arrays
    except (
        OSError,
        ValueError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise LoadError(path, f"cannot be read as arrays ({_short(error)})") from error


def _read_array(file: IO[bytes], path: Path, size: int, limit: int) -> NDArray[Any]:
    try:
        shape, fortran, dtype = _header(file, path, size, limit)
        values = file.read(math.prod(shape) * dtype.itemsize)
        array = np.frombuffer(values, dtype, math.prod(shape))
    except (ValueError, EOFError, OSError) as error:
        raise LoadError(path, f"cannot be read as an array ({_short(error)})") from error
    return array.reshape(shape, order="F" if fortran else "C").copy()


def _header(
    file: IO[bytes], path: Path, size: int, limit: int
) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype, checked against the bytes that follow."""
    version = npy_format.read_magic(file)
    read = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}.get(version)
    if read is None:
        raise LoadError(path, f"is an array file of version {version}, which is not read")
    try:
        shape, fortran, dtype = read(file)
    except Exception as error:  # numpy parses the header as Python: ValueError, SyntaxError, TokenError, …
        raise LoadError(path, f"has a damaged array header ({_short(error)})") from error
    if dtype.kind not in _PLAIN_KINDS:
        raise LoadError(path, f"holds values of type {dtype}, which are not read")
    if any(side < 0 for side in shape):
        raise LoadError(path, f"states the shape {shape}")
    wanted = math.prod(shape) * dtype.itemsize
    if wanted > limit:
        raise LoadError(path, f"holds an array of {wanted:,} bytes; at most {limit:,} are read")
    if wanted > size - file.tell():
        raise LoadError(path, f"is truncated: an array of {wanted:,} bytes does not fit into the file")
    return shape, fortran, dtype


def _kind(value: object) -> str:
    return {list: "array", str: "string", bool: "truth value", type(None): "null"}.get(type(value), "number")


def _short(error: BaseException) -> str:
    said = error.strerror if isinstance(error, OSError) else None  # without the path, which the error names
    text = " ".join((said or str(error)).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "…"
