"""Says which pages of a document or list were given twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from handshift.page.word import Page


def identical_files(pages: Iterable[Page]) -> list[str]:
    """A warning for every page whose file, by its SHA-256, is one given before.

    Args:
        pages: In the order given.
    """
    first: dict[tuple[str, int], Path] = {}
    found = []
    for page in pages:
        known = first.setdefault((page.sha256, page.number), page.source)
        if known is not page.source:
            found.append(
                f"{page.source}, page {page.number + 1}: the same file as {known}; it agrees with itself"
            )
    return found
