"""One map of a data set and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

GOOD = "good"


@dataclass(frozen=True, slots=True)
class MapItem:
    """A file, its domain, and the truth about it."""

    path: Path
    domain: str
    defect: str = GOOD
    """``good``, or the kind of fault."""
    mask: Path | None = None
    """Picture of the faulty pixels, where there is one."""

    @property
    def label(self) -> int:
        """0 normal, 1 faulty."""
        return int(self.defect != GOOD)
