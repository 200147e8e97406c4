"""The same words by different hands, side by side at one scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.attribution.verdict import Verdict
from handshift.report.overlay import Mark

MOST_EACH = 4
"""Occurrences of a word shown for each hand."""
SHOWN_HEIGHT = 34.0
"""Of a word of typical height, in CSS pixels."""


@dataclass(frozen=True, slots=True)
class Column:
    """One hand's occurrences of a word."""

    hand: str
    colour: str
    marks: tuple[Mark, ...]
    more: int
    """Occurrences that are not shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """A word, and each hand's occurrences of it."""

    text: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """All words that occur in several hands."""

    rows: tuple[Row, ...]
    hands: tuple[str, ...]
    read: bool
    """Whether words were read and are the same; else they only look alike."""
    scale: float
    """CSS pixels for a pixel of the scan, the same for all words."""


def side_by_side(verdict: Verdict, marks: tuple[Mark, ...]) -> SideBySide | None:
    """Arrange the matching words of a verdict; None where there are none."""
    if not verdict.alike:
        return None
    hands = tuple(sorted({marks[number - 1].hand for group in verdict.alike for number in group.words}))
    rows = []
    for group in verdict.alike:
        columns = []
        for hand in hands:
            own = [marks[number - 1] for number in group.words if marks[number - 1].hand == hand]
            colour = own[0].stroke if own else "#888888"
            columns.append(Column(hand, colour, tuple(own[:MOST_EACH]), max(0, len(own) - MOST_EACH)))
        rows.append(Row(group.text, tuple(columns)))
    typical = float(
        np.median([mark.box.height for row in rows for cell in row.columns for mark in cell.marks])
    )
    read = any(row.text for row in rows)
    return SideBySide(tuple(rows), hands, read, round(SHOWN_HEIGHT / max(typical, 1.0), 4))
