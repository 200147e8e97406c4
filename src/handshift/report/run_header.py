"""What all pages of one run have in common."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import cv2
import numpy as np

from handshift.calibration.verbal_scale import Language, Scale, shipped_scale
from handshift.core.errors import HandshiftError
from handshift.core.model_card import ModelCard
from handshift.core.version import __version__


def versions() -> dict[str, str]:
    """Of everything that has a say in a result."""
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
    """Enough to repeat it: the model's card, when, with which settings and versions."""

    card: ModelCard
    started: datetime
    settings: dict[str, str]
    language: Language = Language.en
    scale: Scale = field(default_factory=shipped_scale)
    versions: dict[str, str] = field(default_factory=versions)

    def record(self) -> dict[str, Any]:
        """As plain data, from which `handshift report` makes the report again."""
        return {
            "started": self.started.isoformat(),
            "settings": self.settings,
            "versions": self.versions,
            "card": asdict(self.card),
        }

    @classmethod
    def from_record(cls, record: dict[str, Any], language: Language, scale: Scale) -> Run:
        """Read what `record` gave."""
        try:
            return cls(
                ModelCard(**record["card"]),
                datetime.fromisoformat(record["started"]),
                dict(record["settings"]),
                language,
                scale,
                dict(record["versions"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise HandshiftError(
                f"the findings do not tell how they were made ({error!r}): written by an older handshift? "
                "Examine the pages again with --json"
            ) from error
