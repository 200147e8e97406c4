"""words.csv: page, writer, session and prompt of each word, in the order of crops or vectors."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TABLE = "words.csv"
REQUIRED = ("page", "writer", "session", "prompt")
COLUMNS = (*REQUIRED, "path", "text")
"""Of a table written now; tables of older versions lack the last two."""
SIZE = "size"
"""Further column of words whose resolution is known: ln of the size of the word in mm, else empty."""


def size_text(size: float) -> str:
    """A size as the table has it; empty where it is not known."""
    return f"{size:.4f}" if np.isfinite(size) else ""


@dataclass(frozen=True, slots=True)
class WordRows:
    """Columns of the table; words of a page in reading order, page after page."""

    page: NDArray[np.str_]
    writer: NDArray[np.str_]
    session: NDArray[np.int64]
    prompt: NDArray[np.str_]
    path: NDArray[np.str_]
    """The file each word was cut from; its page where the table does not say."""
    text: NDArray[np.str_]
    """The word's text, empty where unknown."""
    size: NDArray[np.float64] | None
    """ln of the size in mm, NaN where unknown; None where it is of no word."""

    def __len__(self) -> int:
        return len(self.page)

    @classmethod
    def read(cls, path: Path) -> WordRows:
        """Read the table.

        Raises:
            OSError: The file cannot be read.
            ValueError: A session or a size is not a number.
            KeyError: A column is missing.
        """
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        page, writer, prompt = (
            np.array([row[name] for row in rows], np.str_) for name in ("page", "writer", "prompt")
        )
        session = np.array([int(row["session"]) for row in rows], np.int64)
        files = np.array([row.get("path") or row["page"] for row in rows], np.str_)
        texts = np.array([row.get("text") or "" for row in rows], np.str_)
        sizes = np.array([float(row.get(SIZE) or "nan") for row in rows], np.float64)
        known = sizes if np.isfinite(sizes).any() else None
        return cls(page, writer, session, prompt, files, texts, known)
