"""`ModelCard`: what a shipped model is, what it was made from and how it performed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_text
from handshift.core.loaders import LoadError, read_json_object
from handshift.core.records import read_record


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The card stored beside a model's weights."""

    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  # pydantic's name

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
    def load(cls, path: Path, *, shipped: bool = False) -> ModelCard:
        """Read a card.

        Args:
            path: The JSON file.
            shipped: Whether the card came with the package, whose tests have checked it: `examine` then need
                not wait for pydantic.

        Raises:
            LoadError: The file is missing or damaged, or a field is missing, unknown or of another kind.
        """
        if not shipped:
            return read_record(path, cls, "a model card")
        try:
            return cls(**read_json_object(path, "a model card"))
        except TypeError as error:
            raise LoadError(path, f"not a model card ({error})") from error
