"""`FileFolder`: a folder of files on this machine, or behind a URL that fsspec opens (``s3://``, ``gs://``)."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol

from handshift.core.atomic import WriteError, write_bytes
from handshift.core.errors import HandshiftError

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_url(path: Path | str) -> bool:
    """Whether this is a URL rather than a path of this machine."""
    return isinstance(path, str) and _URL.match(path) is not None


class FileFolder(Protocol):
    """Files by name, each written whole or not at all."""

    def names(self) -> list[str]:
        """The files' names, sorted; none where the folder does not exist."""
        ...

    def read(self, name: str) -> bytes:
        """All bytes of a file."""
        ...

    def open(self, name: str) -> IO[bytes]:
        """A file to read parts of."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Replace a file in one step."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        ...


def open_folder(path: Path | str) -> FileFolder:
    """Open a folder by path or URL; nothing is made before something is written.

    Raises:
        HandshiftError: fsspec, or the library for this kind of URL, is not installed.
    """
    return RemoteFolder(str(path)) if is_url(path) else LocalFolder(Path(path))


class LocalFolder:
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """The files' names, sorted."""
        if not self.path.is_dir():
            return []
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_file())

    def read(self, name: str) -> bytes:
        """All bytes of a file."""
        return (self.path / name).read_bytes()

    def open(self, name: str) -> IO[bytes]:
        """A file to read parts of."""
        return (self.path / name).open("rb")

    def write(self, name: str, content: bytes) -> None:
        """Replace a file in one step."""
        write_bytes(self.path / name, content)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (self.path / name).unlink(missing_ok=True)


class RemoteFolder:
    """A folder behind a URL; object stores show a file only once it is complete."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._system, self._root = file_system(self.url)

    def names(self) -> list[str]:
        """The files' names, sorted."""
        try:
            found = self._system.ls(self._root, detail=True, refresh=True)
        except TypeError:  # not every file system has a listing that may be stale
            found = self._system.ls(self._root, detail=True)
        except FileNotFoundError:
            return []
        return sorted(str(entry["name"]).rpartition("/")[2] for entry in found if entry["type"] == "file")

    def read(self, name: str) -> bytes:
        """All bytes of a file."""
        content: bytes = self._system.cat_file(f"{self._root}/{name}")
        return content

    def open(self, name: str) -> IO[bytes]:
        """A file to read parts of."""
        file: IO[bytes] = self._system.open(f"{self._root}/{name}", "rb")
        return file

    def write(self, name: str, content: bytes) -> None:
        """Replace a file in one step."""
        try:
            self._system.makedirs(self._root, exist_ok=True)
            self._system.pipe_file(f"{self._root}/{name}", content)
        except OSError as error:
            raise WriteError(f"{self.url}/{name}: cannot be written ({error})") from error

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        try:
            self._system.rm_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return


def file_system(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path within it.

    Raises:
        HandshiftError: fsspec, or the library for this kind of URL, is not installed.
    """
    try:
        system, root = import_module("fsspec").core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        scheme = url.partition("://")[0]
        library = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}.get(scheme)
        advice = f"pip install 'handshift[archive]'{f' {library}' if library else ''}"
        raise HandshiftError(f"{url}: cannot be opened ({error}): {advice}") from error
    return system, str(root).rstrip("/")
