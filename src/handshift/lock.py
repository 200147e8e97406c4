"""One writer per folder, enforced by the kernel, so that kill -9 releases it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handshift.error import HandshiftError


class FolderBusyError(HandshiftError):
    """Another process is writing to this folder."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold ``folder`` for this process; refuse at once when another one holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderBusyError(
                f"{folder}: another run is writing here. Wait for it or stop it."
            ) from error
        yield
