"""Standard output whose reader may close the pipe before the end, as `head` does."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from handshift.cli.exits import Exit


class PipeOutput(io.TextIOWrapper):
    """Ends the command silently when the pipe is closed.

    Typer and rich would each exit with 1, which means that pages failed.
    """

    def write(self, text: str, /) -> int:
        """As any text stream."""
        with self._while_read():
            return super().write(text)

    def flush(self) -> None:
        """As any text stream."""
        with self._while_read():
            super().flush()

    @contextmanager
    def _while_read(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # else Python complains at its own end
            raise SystemExit(Exit.PIPE_CLOSED) from None


def watch_output() -> None:
    """Replace standard output by a `PipeOutput`, unless it is already replaced, as in tests."""
    stream = sys.stdout
    if stream is sys.__stdout__ and isinstance(stream, io.TextIOWrapper):
        sys.stdout = PipeOutput(
            stream.buffer, stream.encoding, stream.errors, line_buffering=stream.line_buffering
        )
