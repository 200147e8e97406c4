"""Pages and documents as rows of one vector array, from which bags are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.corpus.databases.record import database_of
from handshift.embedding.verification import LabelledWords

Rows = NDArray[np.int64]


class WordTable(LabelledWords, Protocol):
    """Page, writer, session and prompt of every row; words of a page in reading order."""

    @property
    def prompt(self) -> NDArray[np.str_]:
        """The copied text."""


@dataclass(frozen=True, slots=True)
class PageRows:
    """One page, or another document: its words' rows in reading order."""

    rows: Rows
    writer: str
    session: int
    prompt: str
    key: str = ""
    """Name of the document, which distinguishes pages of one session and prompt."""

    @property
    def database(self) -> str:
        """The database of the writer, where several are taken together."""
        return database_of(self.writer)


def pages_of(table: WordTable, writers: Iterable[str], fewest: int = 8) -> list[PageRows]:
    """Every page by these writers with at least `fewest` words."""
    rows = np.flatnonzero(np.isin(table.writer, list(writers)))
    if rows.size == 0:
        return []
    bounds = np.flatnonzero(table.page[rows][1:] != table.page[rows][:-1]) + 1
    return [
        document_of(table, page, str(table.page[page[0]]))
        for page in np.split(rows, bounds)
        if page.size >= fewest
    ]


def document_of(table: WordTable, rows: Rows, key: str) -> PageRows:
    """These rows as one document of the first one's writer and session; several prompts give none."""
    prompts = table.prompt[rows]
    prompt = str(prompts[0]) if (prompts == prompts[0]).all() else ""
    return PageRows(rows, str(table.writer[rows[0]]), int(table.session[rows[0]]), prompt, key)


class Key(Enum):
    """What makes a document."""

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
