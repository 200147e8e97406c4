"""Work for engines under test, in a module of its own so that workers can import it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from handshift.core.errors import HandshiftError


@dataclass(frozen=True)
class Squares:
    """Squares numbers; 13 is refused, and -1 ends the worker the first time or, at -2, every time."""

    notes: Path
    """Each start of work on an item leaves a line here."""
    seconds: float = 0.0

    def __call__(self) -> Callable[[int], tuple[int, int]]:
        return self.square

    def square(self, number: int) -> tuple[int, int]:
        first = not (self.notes / str(number)).exists()
        with (self.notes / str(number)).open("a", encoding="utf-8") as note:
            note.write(f"{os.getpid()}\n")
        if number == 13:
            raise ValueError("thirteen")
        if number == -2 or (number == -1 and first):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.seconds)
        return number * number, os.getpid()


@dataclass(frozen=True)
class Broken:
    """Work that cannot be made."""

    def __call__(self) -> Callable[[int], int]:
        raise HandshiftError("no model called words-9")
