"""What the evidence for so many hands means, learnt from pages of known truth."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from handshift.attribution.hmm_settings import HmmSettings
from handshift.calibration.model_fingerprint import require_fingerprint, scoring_fingerprint
from handshift.core.arrays import Floats
from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object

PRIOR = (60 / 75, 8 / 75, 4 / 75, 2 / 75, 1 / 75)
"""Of 1 … 5 hands on a page unless told otherwise: four of five by one, each further half as probable."""


@dataclass(frozen=True, slots=True)
class HandCountCalibration:
    """Stored beside the model and sealed to it.

    Among pages of 1 … 5 hands in equal parts, P(k hands) ∝ exp(scale · ln evidence_k + offset_k).
    """

    model: str
    population: str
    settings: HmmSettings
    scale: float
    offset: tuple[float, ...]
    link: float
    """Natural log of the ratio from which on two pages' hands are taken for one."""
    session_factor: float = 1.0
    """How much more one person's pages differ than the covariances' sessions."""

    def posterior(self, evidence: Floats, prior: tuple[float, ...] = PRIOR) -> Floats:
        """(pages, 5) ln evidence → (pages, 5) probability; what is impossible has −∞."""
        with np.errstate(divide="ignore"):
            weight = self.scale * evidence + np.array(self.offset) + np.log(np.asarray(prior, float))
        share = np.exp(weight - weight.max(axis=-1, keepdims=True))
        return np.asarray(share / share.sum(axis=-1, keepdims=True))

    def save(self, path: Path) -> None:
        """Write as JSON, sealed to the scoring files that lie beside it by then."""
        write_text(
            path, json.dumps(asdict(self) | {"seal": scoring_fingerprint(path.parent)}, indent=1) + "\n"
        )

    @classmethod
    def load(cls, path: Path) -> HandCountCalibration:
        """Read what `save` wrote; refused if it was made for another model than the one beside it."""
        try:
            content = read_json_object(path, "a calibration of hands")
            seal = content.pop("seal")
            settings, offset = HmmSettings(**content.pop("settings")), tuple(content.pop("offset"))
            context = cls(settings=settings, offset=offset, **content)
        except (ValueError, TypeError, KeyError) as error:
            raise HandshiftError(f"{path}: not a calibration of hands ({error})") from error
        require_fingerprint(seal, path)
        return context
