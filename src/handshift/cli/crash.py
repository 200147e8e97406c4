"""An error that nobody foresaw: one line on the terminal, the traceback in a file."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback

from handshift.core.terminal_text import one_line
from handshift.core.version import __version__


def describe_crash(error: BaseException) -> str:
    """Write the traceback to a file that only its owner can read, and describe the error in one line.

    Args:
        error: The exception that ended the command.

    Returns:
        What happened, and where the details are.
    """
    kind = f"internal error ({type(error).__name__}: {one_line(error)[:200]})"
    details = f"handshift {__version__}, Python {sys.version}\n" + "".join(traceback.format_exception(error))
    try:
        number, path = tempfile.mkstemp(prefix="handshift-error-", suffix=".txt")
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(details)
    except OSError:
        return f"{kind}; please report it with these details:\n{details}"
    return f"{kind}; please report it with the details in {path}"
