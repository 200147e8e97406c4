"""The user's cache folder, for what can be fetched or computed again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Folder of handshift in the user's cache: ``$HANDSHIFT_CACHE``, ``$XDG_CACHE_HOME`` or ``~/.cache``.

    Args:
        name: What is kept there.

    Returns:
        The folder, which need not exist yet.
    """
    if own := os.environ.get("HANDSHIFT_CACHE"):
        return Path(own) / name
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handshift" / name
