"""Pseudo-pages: single-word files of one writer and session grouped by eight, in place of pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.pages import WordTable

SET = 8


@dataclass(frozen=True, slots=True)
class PseudoPages:
    """A word table with pseudo-pages; rows are unchanged."""

    page: NDArray[np.str_]
    writer: NDArray[np.str_]
    session: NDArray[np.int64]
    prompt: NDArray[np.str_]


def holds_pages(table: WordTable) -> bool:
    """Whether files hold several words, rather than one word or picture each."""
    return np.unique(table.page).size < 0.5 * len(table.page)


def group_into_pages(table: WordTable) -> PseudoPages:
    """Every eight words of one writer and session form a page; a remainder joins the last.

    Rows of a set must follow each other, as they do where files are sorted by writer.
    """
    page = np.empty(len(table.page), f"<U{table.writer.dtype.itemsize // 4 + 24}")
    owner = np.char.add(np.char.add(table.writer, "/"), table.session.astype(str))
    for name in np.unique(owner):
        rows = np.flatnonzero(owner == name)
        number = np.minimum(np.arange(rows.size) // SET, max(0, rows.size // SET - 1))
        page[rows] = np.char.add(f"{name}/", number.astype(str))
    return PseudoPages(page, table.writer, table.session, np.full(len(page), ""))
