"""`WordKind`: what a mark on the page is; only writing is compared."""

from __future__ import annotations

from enum import StrEnum


class WordKind(StrEnum):
    """What a mark on the page is."""

    WRITING = "writing"
    """Handwriting of ordinary words: the only kind that contributes to a score."""
    PRINT = "print"
    """Type: forms, letterheads, typewriting."""
    STAMP = "stamp"
    """An impression of a stamp or seal."""
    STRUCK_OUT = "struck-out"
    """A word that was crossed out or written over."""
    SIGNATURE = "signature"
    """A signature or paraph: practised as a whole, so unlike the same person's words."""
    DRAWING = "drawing"
    """Drawings, flourishes, rules, brackets and blots."""
