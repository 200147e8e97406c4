"""Numbers as a reader writes them: 1–3, 5."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby


def number_ranges(numbers: Iterable[int]) -> str:
    """1–3, 5 for 1, 2, 3, 5.

    Args:
        numbers: In ascending order.
    """
    parts = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        parts.append(f"{members[0]}–{members[-1]}" if len(members) > 1 else str(members[0]))
    return ", ".join(parts)
