"""Rows and cells of Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Tree = Mapping[str, Any]
"""A file of results, or a part of it."""


def row(label: str, cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join([label, *cells])} |"


def measured(label: str, figure: Tree, chance: str) -> str:
    """A line of value, interval and what chance gives."""
    low, high = figure["interval"]
    return row(label, [f"{figure['value']:.3f}", f"{low:.3f}–{high:.3f}", chance])


def spread(figure: Tree) -> str:
    """Value and interval in one cell."""
    return "{:.3f} ({:.3f}–{:.3f})".format(figure["value"], *figure["interval"])


def percent(figure: Tree) -> str:
    """The same in percent."""
    low, high = figure["interval"]
    return f"{figure['value']:.1%} ({100 * low:.0f}–{100 * high:.0f})"
