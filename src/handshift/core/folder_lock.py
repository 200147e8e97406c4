"""One writer per folder, by a lock that the operating system releases when its process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from handshift.core.errors import HandshiftError
from handshift.core.terminal_text import one_line


class FolderBusyError(HandshiftError):
    """Another process is writing to this folder."""


@contextmanager
def locked(folder: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold ``folder`` for this process; also after kill -9 the next process can take it.

    Args:
        folder: The folder; it is made where needed.
        patience: Seconds to wait for another process.

    Raises:
        FolderBusyError: Another process still holds the folder after ``patience`` seconds.
        HandshiftError: The folder cannot be made or written to.
    """
    lock = _acquired(folder / ".lock", patience)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Hold a lock file of this process, and remove it afterwards; its folder is made where needed.

    Raises:
        FolderBusyError: Another process holds it.
        HandshiftError: It cannot be made.
    """
    lock = _acquired(path, 0.0)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        lock.release()


def _acquired(path: Path, patience: float) -> FileLock:
    where = one_line(path.parent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        lock.acquire(timeout=patience, poll_interval=0.1)
    except Timeout as error:
        raise FolderBusyError(f"{where}: another run is writing here. Wait for it or stop it.") from error
    except OSError as error:
        raise HandshiftError(f"{where}: cannot be locked ({error.strerror or error}).") from error
    return lock
