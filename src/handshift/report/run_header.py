"""The header of a run: what all its pages have in common."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import cv2
import numpy as np

from handshift.calibration.verbal_scale import Language, Scale, shipped_scale
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError
from handshift.core.model_card import ModelCard
from handshift.core.records import checked
from handshift.core.version import __version__


def versions() -> dict[str, str]:
    """Versions of all packages that influence a result."""
    import onnxruntime

    return {
        "handshift": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "OpenCV": cv2.__version__,
        "onnxruntime": onnxruntime.__version__,
    }


@dataclass(frozen=True, slots=True)
class Run:
    """What is needed to repeat a run: model card, time, settings and versions."""

    card: ModelCard
    started: datetime
    settings: dict[str, str]
    language: Language = Language.en
    scale: Scale = field(default_factory=shipped_scale)
    versions: dict[str, str] = field(default_factory=versions)
    case: dict[str, str] = field(default_factory=dict)
    """What the user noted of the case: any of case, exhibit, examiner and note."""
    populations: dict[str, str] = field(default_factory=dict)
    """The reference population in other languages than English."""

    def record(self) -> dict[str, Any]:
        """Return plain data, from which `handshift report` restores the header."""
        return {
            "started": self.started.isoformat(),
            "settings": self.settings,
            "versions": self.versions,
            "card": asdict(self.card),
            "case": self.case,
        }

    @classmethod
    def from_record(cls, record: dict[str, Any], language: Language, scale: Scale) -> Run:
        """Restore a header from its `record`.

        Raises:
            HandshiftError: The record is incomplete.
        """
        try:
            return cls(
                checked(record["card"], ModelCard, "card", "a model card"),
                datetime.fromisoformat(record["started"]),
                dict(record["settings"]),
                language,
                scale,
                dict(record["versions"]),
                dict(record.get("case", {})),
            )
        except (KeyError, TypeError, ValueError, LoadError) as error:
            raise HandshiftError(
                f"the findings do not record how they were made ({error!r}): written by an older handshift? "
                "Examine the pages again with --json"
            ) from error
