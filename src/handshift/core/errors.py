"""Errors that a user can resolve: each message says what was wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path

from handshift.core.terminal_text import one_line


class HandshiftError(Exception):
    """Base of all errors that a user can resolve."""


class PathError(HandshiftError):
    """Something is wrong with one file; reads ``path: what is wrong and what to do``.

    Args:
        path: The file.
        problem: What is wrong with it and what to do.
    """

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(path, problem)  # both, so that the error survives pickling from a worker process
        self.path = Path(path)
        self.problem = problem
        self.named = str(path) if "://" in str(path) else str(self.path)
        """As a reader knows it: an address keeps its slashes, of which a path drops one."""

    def __str__(self) -> str:
        return f"{one_line(self.named)}: {one_line(self.problem)}"


class PageError(PathError):
    """A page, or a whole file, that cannot be read or examined.

    Args:
        path: The file.
        problem: What is wrong with it and what to do.
        number: Page within the file, from 0; 0 where the whole file is meant.
        sha256: Of the file, where it could be read.
    """

    def __init__(self, path: Path | str, problem: str, *, number: int = 0, sha256: str | None = None) -> None:
        super().__init__(path, problem)
        self.number = number
        self.sha256 = sha256


class BlankPageError(PageError):
    """A page on which no word was found: nothing to examine, and nothing wrong with the file."""


class NoWritingError(PageError):
    """A page that shows marks but no handwriting to examine: print, a drawing, stamps. Out of scope."""


class MapError(PathError):
    """A health map, recording or data set that cannot be used."""


class CorpusError(HandshiftError):
    """A corpus, manifest or split that cannot be used."""


class StudyError(HandshiftError):
    """A study file, a results folder or a table that cannot be used as it is."""
