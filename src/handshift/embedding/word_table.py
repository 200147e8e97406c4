"""words.csv: page, writer, session and prompt of each word, in the order of crops or vectors."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TABLE = "words.csv"


@dataclass(frozen=True, slots=True)
class WordRows:
    """Columns of the table; words of a page in reading order, page after page."""

    page: NDArray[np.str_]
    writer: NDArray[np.str_]
    session: NDArray[np.int64]
    prompt: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.page)

    @classmethod
    def read(cls, path: Path) -> WordRows:
        """Read the table.

        Raises:
            OSError: The file cannot be read.
            ValueError: A session is not a number.
            KeyError: A column is missing.
        """
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        page, writer, prompt = (
            np.array([row[name] for row in rows], np.str_) for name in ("page", "writer", "prompt")
        )
        return cls(page, writer, np.array([int(row["session"]) for row in rows], np.int64), prompt)
