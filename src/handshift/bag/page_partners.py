"""Pages as arrays, and which pages may give foreign words to which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.bag.coded_column import CodedColumn
from handshift.bag.pages import PageRows, Rows
from handshift.bag.plan import Kind


class PageArrays:
    """Pages numbered 0, 1, 2, …; page p is rows[start[p] : start[p] + size[p]].

    `writer`, `session`, `prompt` and `database` (pages,) are numbers that are equal where the names are;
    `writers` and `keys` hold the names. `line` is given for every row of the vector array, where it is known.
    """

    def __init__(self, pages: Sequence[PageRows], line: NDArray[np.integer] | None = None) -> None:
        self.size = np.array([page.rows.size for page in pages], np.int64)
        self.start = np.cumsum(self.size) - self.size
        self.rows: Rows = np.concatenate([np.empty(0, np.int64), *(page.rows for page in pages)])
        self.line = None if line is None else np.asarray(line[self.rows], np.int64)
        self.writers = CodedColumn.of([page.writer for page in pages])
        self.keys = CodedColumn.of([page.key for page in pages])
        self.writer = self.writers.codes.astype(np.int64)
        self.session = CodedColumn.of([page.session for page in pages]).codes.astype(np.int64)
        self.prompt = CodedColumn.of([page.prompt for page in pages]).codes.astype(np.int64)
        self.database = CodedColumn.of([page.database for page in pages]).codes.astype(np.int64)

    def __len__(self) -> int:
        return self.size.size


Numbers = NDArray[np.int64]


class Partners:
    """For a page, the pages of its group that are not of its own part of the group.

    Pages are sorted by group and part, so that the partners of a page are one run minus another: a partner
    is drawn without listing them all.
    """

    def __init__(self, group: Numbers, part: Numbers) -> None:
        self._order = np.lexsort((part, group))
        whole, own = _runs(group, self._order), _runs(_together([group, part]), self._order)
        self._first, self._own, self._own_size = whole[0], own[0], own[1]
        self.count = whole[1] - own[1]
        """(pages,) how many partners each has."""
        parts = np.unique(np.stack([group, part]), axis=1)[0]
        self.parts = np.bincount(parts, minlength=1 + int(group.max(initial=0)))[group]
        """(pages,) number of parts of its group, its own included."""

    def draw(self, pages: Numbers, rng: np.random.Generator) -> Numbers:
        """(bags,) one partner for each page, uniformly."""
        at = self._first[pages] + rng.integers(self.count[pages])
        at += np.where(at >= self._own[pages], self._own_size[pages], 0)
        return np.asarray(self._order[at])


def partners_of(pages: PageArrays, kind: Kind, same_prompt: bool) -> Partners:
    """Partners for bags of this kind, of the same prompt where that is required.

    Foreign words come from the host's own database: scanner and paper would give them away otherwise.
    """
    prompt = pages.prompt if same_prompt else np.zeros_like(pages.prompt)
    if kind is Kind.MIXED:
        return Partners(_together([pages.database, prompt]), pages.writer)
    if kind is Kind.SPLICED:
        return Partners(_together([pages.writer, prompt]), pages.session)
    return Partners(_together([pages.writer, pages.session, prompt]), np.arange(len(pages)))


def _together(columns: Sequence[Numbers]) -> Numbers:
    """One number for each combination of column values, in lexicographic order."""
    return np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _runs(number: Numbers, order: NDArray[np.intp]) -> tuple[Numbers, Numbers]:
    """(pages,) where in `order` the run of a page's number begins, and how long it is."""
    first = np.searchsorted(number[order], number, side="left")
    last = np.searchsorted(number[order], number, side="right")
    return first, last - first
