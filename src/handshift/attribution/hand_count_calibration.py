"""Calibration of the number of hands: from evidence to posteriors, by multinomial logistic regression."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handshift.attribution.hmm_settings import HmmSettings
from handshift.calibration.model_fingerprint import FIELD, load_calibration, scoring_fingerprint
from handshift.core.arrays import Floats
from handshift.core.atomic import write_text

PRIOR = (60 / 75, 8 / 75, 4 / 75, 2 / 75, 1 / 75)
"""Of 1 … 5 hands on a page unless given: four of five by one hand, each further number half as probable."""


@dataclass(frozen=True, slots=True)
class HandCountCalibration:
    """Stored beside the model as hands.json, with the fingerprint of its scoring files.

    Among pages of 1 … 5 hands in equal parts, P(k hands) ∝ exp(scale · ln evidence_k + offset_k).
    """

    model: str
    population: str
    settings: HmmSettings
    scale: float
    offset: tuple[float, ...]

    def posterior(self, evidence: Floats, prior: tuple[float, ...] = PRIOR) -> Floats:
        """Posterior of the number of hands.

        Args:
            evidence: (pages, 5) or (5,) ln evidence of 1 … 5 hands; −∞ where impossible.
            prior: of 1 … 5 hands.

        Returns:
            Probabilities of the same shape.
        """
        with np.errstate(divide="ignore"):
            weight = self.scale * evidence + np.array(self.offset) + np.log(np.asarray(prior, float))
        share = np.exp(weight - weight.max(axis=-1, keepdims=True))
        return np.asarray(share / share.sum(axis=-1, keepdims=True))

    def save(self, path: Path) -> None:
        """Write as JSON with the fingerprint of the scoring files in the same folder."""
        fingerprint = scoring_fingerprint(path.parent)
        content = asdict(self) | {"settings": self.settings.record(), FIELD: fingerprint}
        write_text(path, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> HandCountCalibration:
        """Read what `save` wrote.

        Raises:
            HandshiftError: the file is no such calibration.
            CalibrationError: it was made for another model than the one beside it.
        """

        def parse(content: dict[str, Any]) -> HandCountCalibration:
            return cls(
                content["model"],
                content["population"],
                HmmSettings.from_record(content["settings"]),
                float(content["scale"]),
                tuple(content["offset"]),
            )

        return load_calibration(path, "a calibration of hands", parse)
