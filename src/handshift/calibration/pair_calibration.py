"""What the score of two sets of words means, for sets of any size."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.model_fingerprint import require_fingerprint, scoring_fingerprint
from handshift.core.arrays import Floats
from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.detect.plda import Plda


@dataclass(frozen=True, slots=True)
class PairPropositions:
    """The two explanations that a comparison weighs, and among whom."""

    one_writer: str
    two_writers: str
    population: str


@dataclass(frozen=True, slots=True)
class Tail:
    """How often strangers look alike: P(log10 LR ≥ t | two writers) = 10^−((t − level) / decade)."""

    level: float
    decade: float

    def threshold(self, rate: float) -> float:
        """The weight that at most this share of strangers reaches."""
        return self.level - self.decade * float(np.log10(rate))


@dataclass(frozen=True, slots=True)
class BoundedLine:
    """log10 LR = slope · score + offset, held within bounds: a logistic calibration."""

    slope: float
    offset: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class SizedLine:
    """A calibration that holds where both sets have about `words` words."""

    words: float
    calibration: BoundedLine
    strangers: Tail


@dataclass(frozen=True, slots=True)
class PairCalibration:
    """Stored beside the model; between the sizes it was fitted at, it goes over evenly in log words."""

    model: str
    propositions: PairPropositions
    sizes: tuple[SizedLine, ...]
    """Fewest words first."""
    session_factor: float = 1.0
    """How much more one person's days differ from text to text than the covariances know."""

    def widened(self, covariances: Plda) -> Plda:
        """The covariances that pairs are scored with."""
        return replace(covariances, session=covariances.session * self.session_factor)

    def weight(self, score: ArrayLike, words: ArrayLike) -> Floats:
        """log10 LR before its bounds: what is ranked and compared with a threshold."""
        slope = self._at(words, [size.calibration.slope for size in self.sizes])
        offset = self._at(words, [size.calibration.offset for size in self.sizes])
        return np.asarray(slope * np.asarray(score) + offset)

    def bounds(self, words: ArrayLike) -> tuple[Floats, Floats]:
        """Smallest and largest log10 LR that the calibration supports for sets of this size."""
        lowest = self._at(words, [size.calibration.lowest for size in self.sizes])
        return lowest, self._at(words, [size.calibration.highest for size in self.sizes])

    def log10_lr(self, score: ArrayLike, words: ArrayLike) -> Floats:
        """The calibrated weight, within its bounds."""
        return np.clip(self.weight(score, words), *self.bounds(words))

    def threshold(self, words: float, enrolled: int, false_accepts: float) -> float:
        """The weight that the best of `enrolled` strangers reaches in at most this share of queries.

        The chance that any of K is that much alike is at most K times the chance of one.
        """
        rate = false_accepts / max(1, enrolled)
        return float(self._at(words, [size.strangers.threshold(rate) for size in self.sizes]))

    def _at(self, words: ArrayLike, values: list[float]) -> Floats:
        known = np.log([size.words for size in self.sizes])
        return np.asarray(np.interp(np.log(np.asarray(words, float)), known, values))

    def save(self, path: Path) -> None:
        """Write as JSON, sealed to the scoring files that lie beside it by then."""
        write_text(
            path, json.dumps(asdict(self) | {"seal": scoring_fingerprint(path.parent)}, indent=1) + "\n"
        )

    @classmethod
    def load(cls, path: Path) -> PairCalibration:
        """Read what `save` wrote; refused if it was made for another model than the one beside it."""
        try:
            content = read_json_object(path, "a calibration of comparisons")
            sizes = tuple(
                SizedLine(float(size["words"]), BoundedLine(**size["calibration"]), Tail(**size["strangers"]))
                for size in content["sizes"]
            )
            if not sizes:
                raise ValueError("no sizes")
            propositions = PairPropositions(**content["propositions"])
            context = cls(content["model"], propositions, sizes, float(content["session_factor"]))
            seal = content["seal"]
        except (ValueError, TypeError, KeyError) as error:
            raise HandshiftError(f"{path}: not a calibration of comparisons ({error})") from error
        require_fingerprint(seal, path)
        return context


def words_of_pair(one: ArrayLike, two: ArrayLike) -> Floats:
    """The size of two equal sets as certain together as these: their harmonic mean, 2 / (1/n_a + 1/n_b)."""
    return np.asarray(2 / (1 / np.asarray(one, float) + 1 / np.asarray(two, float)))
