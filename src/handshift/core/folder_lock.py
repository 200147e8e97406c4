"""One writer per folder, enforced by the kernel, so that kill -9 releases it."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from handshift.core.errors import HandshiftError


class FolderBusyError(HandshiftError):
    """Another process is writing to this folder."""


@contextmanager
def locked(folder: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold ``folder`` for this process; refuse when another one still holds it after ``patience`` seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    give_up = time.monotonic() + patience
    with (folder / ".lock").open("w") as file:
        while not _taken(file):
            if time.monotonic() >= give_up:
                raise FolderBusyError(f"{folder}: another run is writing here. Wait for it or stop it.")
            time.sleep(0.1)
        yield


def _taken(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
