"""One row of the common manifest: what a file of any database holds, and who wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from handshift.page.word import Box


class Script(StrEnum):
    """Writing system."""

    LATIN = "latin"
    ARABIC = "arabic"
    HANGUL = "hangul"


class Holds(StrEnum):
    """What one file holds."""

    PAGE = "page"
    """A scanned page."""
    LINE = "line"
    """The picture of one text line, without its sheet."""
    WORD = "word"
    """The picture of one word, or a strip of several with a box for each."""
    STROKES = "strokes"
    """Pen trajectories."""
    FONT = "font"
    """One person's hand as a font."""


@dataclass(frozen=True, slots=True)
class Record:
    """A piece of handwriting by one writer."""

    path: Path
    database: str
    script: Script
    holds: Holds
    writer: str
    """Unique over all databases: `database/name`."""
    session: int
    """Day of writing, numbered from 1 within the writer; 1 where the database does not tell."""
    page: str
    """Unique name of the sheet; records of one sheet share pen, paper and scan."""
    prompt: str = ""
    pen: str | None = None
    box: Box | None = None
    """Part of the picture, where a file holds several records."""
    index: int = 0
    """Number of the text within a file of strokes, of the page drawn with a font."""
    dpi: float | None = None
    """Resolution of the picture, where the database has one for all."""


@dataclass(frozen=True, slots=True)
class Database:
    """All records of one database."""

    name: str
    family: str
    """Databases of one family may share persons."""
    licence: str
    records: tuple[Record, ...]

    @property
    def writers(self) -> dict[str, int]:
        """Number of sheets of each writer, writers sorted."""
        sheets: dict[str, set[str]] = {}
        for record in self.records:
            sheets.setdefault(record.writer, set()).add(record.page)
        return {writer: len(pages) for writer, pages in sorted(sheets.items())}

    def written_by(self, writers: Iterable[str]) -> Database:
        """The records of these writers alone."""
        wanted = set(writers)
        kept = tuple(record for record in self.records if record.writer in wanted)
        return Database(self.name, self.family, self.licence, kept)


def database_of(writer: str) -> str:
    """The database in the id of a writer; empty for a writer of a corpus by itself."""
    return writer.rpartition("/")[0]
