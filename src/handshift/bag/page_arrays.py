"""Pages as arrays, so that thousands of bags are drawn at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.bag.coded import Coded
from handshift.bag.pages import PageRows, Rows


class PageArrays:
    """Pages numbered 0, 1, 2, …; page p is rows[start[p] : start[p] + size[p]].

    `writer`, `session` and `prompt` (pages,) are numbers that are equal where the names are; `writers` and
    `keys` hold the names. `line` is given for every row of the vector array, where it is known.
    """

    def __init__(self, pages: Sequence[PageRows], line: NDArray[np.integer] | None = None) -> None:
        self.size = np.array([page.rows.size for page in pages], np.int64)
        self.start = np.cumsum(self.size) - self.size
        self.rows: Rows = np.concatenate([np.empty(0, np.int64), *(page.rows for page in pages)])
        self.line = None if line is None else np.asarray(line[self.rows], np.int64)
        self.writers = Coded.of([page.writer for page in pages])
        self.keys = Coded.of([page.key for page in pages])
        self.writer = self.writers.codes.astype(np.int64)
        self.session = Coded.of([page.session for page in pages]).codes.astype(np.int64)
        self.prompt = Coded.of([page.prompt for page in pages]).codes.astype(np.int64)

    def __len__(self) -> int:
        return self.size.size
