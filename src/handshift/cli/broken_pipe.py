"""Standard output whose reader may leave before the end, as `head` does."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from handshift.cli.exits import Exit


class Outlet(io.TextIOWrapper):
    """Ends the command without a word once nobody reads on.

    Typer and rich would each end it with 1, which of an examination says that pages failed.
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
            raise SystemExit(Exit.NOBODY_READS) from None


def mind_the_reader() -> None:
    """Put an outlet in the place of standard output, unless somebody else has taken it, as tests do."""
    stream = sys.stdout
    if stream is sys.__stdout__ and isinstance(stream, io.TextIOWrapper):
        sys.stdout = Outlet(
            stream.buffer, stream.encoding, stream.errors, line_buffering=stream.line_buffering
        )
