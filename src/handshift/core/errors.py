"""The errors that a user can put right: each message says what was wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class HandshiftError(Exception):
    """Base of every error that a user can put right."""


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

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


class PageError(PathError):
    """A page that cannot be examined."""


class MapError(PathError):
    """A health map, recording or data set that cannot be used."""


class CorpusError(HandshiftError):
    """A corpus, manifest or split that cannot be used."""


class StudyError(HandshiftError):
    """A study file, a results folder or a table that cannot be used as it is."""
