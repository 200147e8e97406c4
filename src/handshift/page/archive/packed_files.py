"""Zip and tar files of scans, unpacked into the user's cache within limits."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.page.archive.origin import UNPACKED

PACKED_SUFFIXES = (".zip", ".cbz", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
MOST_FILES = 100_000
LARGEST_FILE = 2 << 30
LARGEST_SUM = 64 << 30
_DONE = ".unpacked"


def is_packed(path: Path) -> bool:
    """Whether the name is of a zip or tar file."""
    return path.name.lower().endswith(PACKED_SUFFIXES)


def unpacked(path: Path, suffixes: frozenset[str]) -> Path:
    """Unpack the scans of a zip or tar file, and the XML beside them; what is unpacked already is reused.

    Args:
        path: The packed file.
        suffixes: Of scans, in lower case.

    Returns:
        The folder, named by the file's content.

    Raises:
        PageError: The file is damaged, or larger than the limits.
    """
    try:
        with path.open("rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise PageError(path, f"cannot be read ({error.strerror})") from error
    folder = cache_folder(UNPACKED) / name
    if (folder / _DONE).exists():
        return folder
    wanted = suffixes | {".xml"}
    files, total = 0, 0
    try:
        for member, size, stream in _members(path):
            target = _target(folder, member)
            if target is None or target.suffix.lower() not in wanted:
                continue
            files, total = files + 1, total + size
            if files > MOST_FILES or size > LARGEST_FILE or total > LARGEST_SUM:
                raise PageError(
                    path, "holds more than is unpacked at once; unpack it yourself, give the folder"
                )
            if not (target.is_file() and target.stat().st_size == size):
                _write(stream, target, size, path)
    except PageError:
        raise
    except tarfile.ReadError as error:  # it says what each of its decompressors found, a line each
        raise PageError(path, "neither a zip nor a tar file, or damaged; copy it again") from error
    except Exception as error:  # zip, tar and their decompressors raise many types on damaged files
        raise PageError(path, f"cannot be unpacked ({error}); copy it again") from error
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _DONE).touch()
    return folder


def _members(path: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Name, size and content of every regular file; links and devices are passed over."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            for info in packed.infolist():
                if not info.is_dir():
                    with packed.open(info) as stream:
                        yield info.filename, info.file_size, stream
        return
    with tarfile.open(path, "r:*") as packed_tar:
        for member in packed_tar:
            stream_or_none = packed_tar.extractfile(member) if member.isreg() else None
            if stream_or_none is not None:
                yield member.name, member.size, stream_or_none


def _target(folder: Path, member: str) -> Path | None:
    """Where a member goes; None for names that lead out of the folder, and for hidden files."""
    parts = PurePosixPath(member.replace("\\", "/")).parts
    if not parts or any(part in ("..", "/") or part.startswith(".") or ":" in part for part in parts):
        return None
    return folder.joinpath(*parts)


def _write(stream: IO[bytes], target: Path, size: int, path: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    with part.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    if part.stat().st_size != size:  # the directory of the archive lied
        part.unlink()
        raise PageError(path, f"{target.name} does not have the size that the archive states")
    part.replace(target)
