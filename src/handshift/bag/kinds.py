"""Where the parts of a bag come from."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Only the last is by several hands; the others are what must not be taken for it."""

    SINGLE = "one writer, one session"
    PAGES = "one writer, two pages of one session"
    SPLICED = "one writer, two sessions"
    MIXED = "two writers"

    @property
    def word(self) -> str:
        """As a bag set names it: `single`, `pages`, `spliced`, `mixed`."""
        return self.name.lower()
