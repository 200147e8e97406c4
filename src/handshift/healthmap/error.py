"""The error of the health-map room."""

from __future__ import annotations

from pathlib import Path

from handshift.error import HandshiftError


class MapError(HandshiftError):
    """A map, recording or data set that cannot be used; reads ``path: what is wrong and what to do``."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(path, problem)  # both, so that it survives the way back from a worker process
        self.path = Path(path)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"
