"""`ModelCard`: what a shipped model is, what it was made from and how it performed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The card stored beside a model's weights."""

    id: str
    summary: str
    trained_on: str
    calibrated_on: str
    tested_on: str
    limits: str
    licence: str = "Apache-2.0"
    figures: dict[str, Any] = field(default_factory=dict)
    """Measured on test writers; see `results/`."""
    reads: str = "page"
    """What a file of its calibration held: page, word (of documents that come as word pictures), picture."""

    def save(self, path: Path) -> None:
        """Write the card as JSON."""
        write_text(path, json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> ModelCard:
        """Read a card.

        Raises:
            HandshiftError: The file is missing or damaged, or a field is missing or unknown.
        """
        try:
            return cls(**read_json_object(path, "a model card"))
        except TypeError as error:
            raise HandshiftError(f"{path}: not a model card ({error})") from error
