"""Documents of several pages, each page by one of a few writers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handshift.bag.pages import PageRows


def pages_by_writer(pages: Sequence[PageRows], fewest: int) -> dict[str, list[PageRows]]:
    """Pages of every writer who has at least `fewest`, writers in alphabetical order."""
    by_writer: dict[str, list[PageRows]] = {}
    for page in pages:
        by_writer.setdefault(page.writer, []).append(page)
    return {name: by_writer[name] for name in sorted(by_writer) if len(by_writer[name]) >= fewest}


def draw_document(
    by_writer: dict[str, list[PageRows]], counts: Sequence[int], rng: np.random.Generator
) -> list[PageRows]:
    """Pages by len(counts) writers, drawn without replacement.

    Args:
        by_writer: pages of at least len(counts) writers.
        counts: pages of each drawn writer; a writer with fewer gives all.
        rng: draws writers, then pages.

    Returns:
        The pages, writer after writer.
    """
    names = rng.choice(list(by_writer), size=len(counts), replace=False)
    chosen: list[PageRows] = []
    for name, count in zip(names, counts, strict=True):
        own = by_writer[str(name)]
        chosen += [own[at] for at in rng.permutation(len(own))[:count]]
    return chosen
