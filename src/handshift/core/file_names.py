"""Names that a file system does not take: too long, or reserved by Windows."""

from __future__ import annotations

import os
import re
from pathlib import Path

LONGEST = 255
"""Bytes of one name, on the file systems of Linux and macOS; Windows counts characters."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_REFUSED = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$')


def is_reserved(name: str) -> bool:
    """Whether Windows takes a name for a device, whatever its suffix: ``aux.json``."""
    return _RESERVED.fullmatch(name) is not None


def unfit_name(path: Path, windows: bool = os.name == "nt") -> str | None:
    """Why no file of this name can be written; None where it can.

    Args:
        path: The file or folder.
        windows: Whether the rules of Windows hold.
    """
    for name in path.parts:
        length = len(os.fsencode(name))
        if length > LONGEST:
            return f"a name of {length} bytes is longer than the {LONGEST} that file systems take"
        if windows and name != path.anchor and name not in (".", ".."):
            if is_reserved(name):
                return f"Windows keeps the name {name} for a device"
            if _REFUSED.search(name):
                return f"Windows does not take the name {name}"
    return None
