"""What a model's scores mean: calibration, propositions, and pages of known truth to compare with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from handshift.atomic import write_text
from handshift.error import HandshiftError
from handshift.evidence.calibration import Calibration
from handshift.evidence.verdict import Propositions, Reference


@dataclass(frozen=True, slots=True)
class Context:
    """Stored beside the model; a score from another model must not be read with it."""

    model: str
    calibration: Calibration
    propositions: Propositions
    reference: Reference

    def save(self, path: Path) -> None:
        """Write as JSON, scores rounded to what a histogram shows."""
        content = asdict(self)
        for name, scores in content["reference"].items():
            content["reference"][name] = [round(score, 2) for score in scores]
        write_text(path, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Context:
        """Read what `save` wrote."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            reference = {name: tuple(scores) for name, scores in content["reference"].items()}
            return cls(
                content["model"],
                Calibration(**content["calibration"]),
                Propositions(**content["propositions"]),
                Reference(**reference),
            )
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise HandshiftError(f"{path}: not a calibration ({error})") from error
