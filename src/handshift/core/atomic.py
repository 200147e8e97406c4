"""Atomic writes: a file is written completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from handshift.core.errors import HandshiftError
from handshift.core.terminal_text import one_line


class WriteError(HandshiftError):
    """A file could not be written; what stood there before is unchanged."""


def write_bytes(path: Path | str, content: bytes, *, private: bool = False) -> None:
    """Replace the file at ``path`` in one step, making its folder where needed.

    Args:
        path: The file.
        content: All its bytes.
        private: Whether only its owner may read it.

    Raises:
        WriteError: The file cannot be written; an earlier file is unchanged.
    """
    write_pieces(path, (content,), private=private)


def write_pieces(path: Path | str, pieces: Iterable[bytes], *, private: bool = False) -> None:
    """Write one piece after the other, for a file that is larger than memory; otherwise as `write_bytes`."""
    path = Path(path)
    # In the same folder, because a rename is only atomic within one file system.
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o600 if private else 0o666  # less what the umask takes away
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())  # else a power cut can leave the new name with no content
        part.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        advice = "Choose a folder you may write to, with room left."
        raise WriteError(f"{one_line(path)}: cannot be written ({reason}). {advice}") from error
    finally:
        _discard(part)  # also after Ctrl-C; after the rename there is nothing to discard


def write_text(path: Path | str, content: str, *, private: bool = False) -> None:
    """Write ``content`` as UTF-8 with the line ends it has; otherwise as `write_bytes`."""
    write_bytes(path, content.encode("utf-8"), private=private)


def _discard(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:  # the folder is missing or unreadable: then no part file exists
        return
