"""Exit codes, the same for every command."""

from __future__ import annotations

from enum import IntEnum

from handshift.core.atomic import WriteError
from handshift.core.errors import HandshiftError


class Exit(IntEnum):
    """Exit codes of every command."""

    ALL_EXAMINED = 0
    SOME_FAILED = 1
    USAGE = 2
    NONE_EXAMINED = 3
    NOT_WRITTEN = 4
    OUT_OF_SCOPE = 5  # a page lies outside of what was validated, or shows no handwriting
    INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130  # 128 + SIGINT, as shells have it
    PIPE_CLOSED = 141  # 128 + SIGPIPE


def exit_for(error: HandshiftError) -> Exit:
    """Choose the code for an error that ended a command."""
    return Exit.NOT_WRITTEN if isinstance(error, WriteError) else Exit.NONE_EXAMINED
