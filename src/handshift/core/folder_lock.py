"""One writer per folder, by a lock that the operating system releases when its process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from handshift.core.errors import HandshiftError


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
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=patience, poll_interval=0.1)
    except Timeout as error:
        raise FolderBusyError(f"{folder}: another run is writing here. Wait for it or stop it.") from error
    except OSError as error:
        raise HandshiftError(f"{folder}: cannot be locked ({error.strerror or error}).") from error
    try:
        yield
    finally:
        lock.release()
