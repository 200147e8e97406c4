"""The log of a watched machine: JSON lines, one for each file, from which a restart continues."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from handshift.core.atomic import WriteError, write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_text

SIGNATURE = "handshift maps watch"


class Observation(BaseModel):
    """One scored file.

    Attributes:
        path: Relative to the watched folder.
        time: Of the file, in seconds since 1970.
        domain: Whose threshold was used; with several sensors the one with the highest index.
        score: Of the map.
        threshold: Of the domain.
        index: Health index (score − median)/(threshold − median) of normal maps: 0 usual, 1 at the threshold.
        flagged: Whether the score reaches the threshold.
        tooth: Row or column, by its axis' name, that stands out on a flagged map, from 1.
        alarm: Whether the alarm is on after this file.
        error: Why the file could not be scored.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    time: float
    domain: str | None = None
    score: float | None = None
    threshold: float | None = None
    index: float | None = None
    flagged: bool = False
    tooth: str | None = None
    alarm: bool = False
    error: str | None = None


@dataclass
class WatchLog:
    """Observations of one machine by one model.

    Attributes:
        path: The file of JSON lines.
        observations: In the order they were scored.
    """

    path: Path
    observations: list[Observation]

    @classmethod
    def open(cls, path: Path, model: str) -> WatchLog:
        """Open a log, or begin one.

        A last line that a crash left incomplete is dropped, and its file is scored again.

        Args:
            path: The file.
            model: Identity of the model, stored in the first line.

        Returns:
            The log with all earlier observations.

        Raises:
            HandshiftError: The file is not a log, is damaged, or was written with another model.
        """
        if not path.exists():
            write_text(path, json.dumps({"written_by": SIGNATURE, "model": model}) + "\n")
            return cls(path, [])
        content = read_text(path, "a log of a watched machine")
        complete = content[: content.rfind("\n") + 1]
        if complete != content:
            write_text(path, complete)
        first, *lines = complete.splitlines() or [""]
        try:
            header: dict[str, Any] = json.loads(first)
            if header["written_by"] != SIGNATURE:
                raise ValueError("it was not written by this command")
            observations = [Observation.model_validate_json(line) for line in lines]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ValidationError) as error:
            raise HandshiftError(
                f"{path}: not a log of a watched machine ({error}); choose another --out"
            ) from error
        if header.get("model") != model:
            raise HandshiftError(f"{path}: was written with another model; choose another --out")
        return cls(path, observations)

    def append(self, observation: Observation) -> None:
        """Add one observation and write it."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(observation.model_dump_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(
                f"{self.path}: cannot be written ({error.strerror}). Make room, then watch again."
            ) from error
        self.observations.append(observation)
