"""`PageEntry`: what the store holds of one page, and its row in Parquet."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HandEntry:
    """One hand of a page: the mean of its words' vectors."""

    name: str
    words: int
    vector: Vector = field(repr=False)
    """(dimensions,)"""
    size: float | None = None
    """Mean ln of its words' sizes in mm; None where the resolution is not known."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page of the archive, or why it has no vector."""

    file: str
    sha256: str
    """Of the whole file."""
    page: int
    """Within the file, from 1."""
    words: int = 0
    """Legible ones."""
    vector: Vector | None = field(default=None, repr=False)
    """(dimensions,) mean over all legible words."""
    size: float | None = None
    """As of a hand, over all legible words."""
    hands: tuple[HandEntry, ...] = ()
    """The hand of most words first."""
    scope: dict[str, Any] | None = None
    """Record of `Scope`; None for a page inside of what was validated."""
    thumbnail: bytes = field(default=b"", repr=False)
    """JPEG."""
    error: str | None = None
    origin: str | None = None
    """Canvas, packed file or address that the file comes from, which lies in the cache; else None."""

    @property
    def title(self) -> str:
        """What a reader knows the page by."""
        return self.origin or self.file

    @property
    def key(self) -> tuple[str, int]:
        """Content and page number: the same page under another name is the same page."""
        return self.sha256, self.page

    @property
    def identity(self) -> tuple[str, int, str]:
        """By which it is removed: a copy under another name stays."""
        return self.sha256, self.page, self.file

    def row(self) -> dict[str, Any]:
        """Plain values for Parquet."""
        return {
            "file": self.file,
            "sha256": self.sha256,
            "page": self.page,
            "words": self.words,
            "vector": None if self.vector is None else self.vector.tolist(),
            "size": self.size,
            "hands": [
                {
                    "name": hand.name,
                    "words": hand.words,
                    "vector": hand.vector.tolist(),
                    "size": hand.size,
                }
                for hand in self.hands
            ],
            "scope": json.dumps(self.scope) if self.scope else None,
            "thumbnail": self.thumbnail,
            "error": self.error,
            "origin": self.origin,
        }

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> PageEntry:
        """Inverse of `row`; columns that were not read stay empty."""
        return cls(
            row["file"],
            row["sha256"],
            row["page"],
            row.get("words") or 0,
            None if row.get("vector") is None else np.array(row["vector"], np.float32),
            row.get("size"),
            tuple(
                HandEntry(hand["name"], hand["words"], np.array(hand["vector"], np.float32), hand["size"])
                for hand in row.get("hands") or ()
            ),
            json.loads(row["scope"]) if row.get("scope") else None,
            row.get("thumbnail") or b"",
            row.get("error"),
            row.get("origin"),
        )


def schema(arrow: Any, dimensions: int) -> Any:
    """Parquet schema of entries with vectors of so many dimensions."""
    text, count, number = arrow.string(), arrow.int32(), arrow.float32()
    vector = arrow.list_(number, dimensions)
    hand = arrow.struct([("name", text), ("words", count), ("vector", vector), ("size", number)])
    return arrow.schema(
        [
            ("file", text),
            ("sha256", text),
            ("page", count),
            ("words", count),
            ("vector", vector),
            ("size", number),
            ("hands", arrow.list_(hand)),
            ("scope", text),
            ("thumbnail", arrow.binary()),
            ("error", text),
            ("origin", text),
        ]
    )
