"""What counts as one document: a page, or all that a writer wrote in one session."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np

from handshift.bag.pages import PageRows, WordTable, document_of, pages_of


class Key(Enum):
    """By what words are gathered into documents."""

    PAGE = "page"
    SESSION = "writer and session"


def documents_of(
    table: WordTable, writers: Iterable[str], key: Key = Key.PAGE, fewest: int = 8
) -> list[PageRows]:
    """Every document by these writers with at least `fewest` words, words in the table's order."""
    if key is Key.PAGE:
        return pages_of(table, writers, fewest)
    rows = np.flatnonzero(np.isin(table.writer, list(writers)))
    names = np.char.add(np.char.add(table.writer[rows], "/"), table.session[rows].astype(str))
    values, codes = np.unique(names, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    parts = np.split(rows[order], np.cumsum(np.bincount(codes, minlength=values.size))[:-1])
    return [
        document_of(table, part, str(name))
        for name, part in zip(values, parts, strict=True)
        if part.size >= fewest
    ]
