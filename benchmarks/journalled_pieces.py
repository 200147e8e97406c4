"""The state of a long benchmark: one line of JSON for each finished piece, to stop and to continue."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def rows(state: Path) -> list[dict[str, Any]]:
    """What was journalled; a torn last line is left out."""
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text("utf-8").split("\n")[:-1]]


def add(state: Path, row: dict[str, Any]) -> None:
    """Append one piece, and sync it."""
    with state.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
        file.flush()
        os.fsync(file.fileno())
