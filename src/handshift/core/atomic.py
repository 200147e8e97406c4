"""Atomic writes: a file is written completely or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from handshift.core.errors import HandshiftError


class WriteError(HandshiftError):
    """A file could not be written; what stood there before is unchanged."""


def write_bytes(path: Path | str, content: bytes) -> None:
    """Replace the file at ``path`` in one step, making its folder where needed.

    Args:
        path: The file.
        content: All its bytes.

    Raises:
        WriteError: The file cannot be written; an earlier file is unchanged.
    """
    path = Path(path)
    # In the same folder, because a rename is only atomic within one file system.
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # else a power cut can leave the new name with no content
        part.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteError(
            f"{path}: cannot be written ({reason}). Choose a folder you may write to, with room left."
        ) from error
    finally:
        _discard(part)  # also after Ctrl-C; after the rename there is nothing to discard


def write_text(path: Path | str, content: str) -> None:
    """Write ``content`` as UTF-8 with the line ends it has; otherwise as `write_bytes`."""
    write_bytes(path, content.encode("utf-8"))


def _discard(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:  # the folder is missing or unreadable: then no part file exists
        return
