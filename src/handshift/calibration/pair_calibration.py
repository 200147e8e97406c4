"""Pair calibration: from the PLDA score of two sets of words to a likelihood ratio, for sets of any size."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.model_fingerprint import FIELD, load_calibration, scoring_fingerprint
from handshift.core.arrays import Floats
from handshift.core.atomic import write_text
from handshift.detect.plda import Plda
from handshift.detect.size_model import SizeModel
from handshift.embedding.mean_length import MeanLength


@dataclass(frozen=True, slots=True)
class PairPropositions:
    """The two propositions of a comparison, and their population."""

    one_writer: str
    two_writers: str
    population: str


@dataclass(frozen=True, slots=True)
class Tail:
    """Tail of different-writer ratios: P(log10 LR ≥ t | two writers) = 10^−((t − level) / decade).

    Of models calibrated before `NormalTail`: it is too heavy beyond the quantiles it was fitted to.
    """

    level: float
    decade: float

    def threshold(self, rate: float) -> float:
        """log10 LR that different-writer pairs exceed at this rate."""
        return self.level - self.decade * float(np.log10(rate))

    def rate(self, weight: Floats) -> Floats:
        """Share of different-writer pairs whose log10 LR is at least `weight`, at most 1."""
        return np.minimum(1.0, 10.0 ** (-(weight - self.level) / max(self.decade, 1e-6)))


@dataclass(frozen=True, slots=True)
class NormalTail:
    """Upper tail of different-writer ratios: P(log10 LR ≥ t | two writers) = Φ((level − t) / deviation).

    Quantiles of validation writers lie on a line over the normal deviate from a rate of 0.1 to 0.0005, for
    pages and for five words. Over −log10 of the rate they bend: the line through 0.1 … 0.002 is one unit of
    log10 LR too high at 0.0005, at which no page would be given a name.
    """

    level: float
    deviation: float

    def threshold(self, rate: float) -> float:
        """log10 LR that different-writer pairs exceed at this rate."""
        return self.level - self.deviation * NormalDist().inv_cdf(rate)

    def rate(self, weight: Floats) -> Floats:
        """Share of different-writer pairs whose log10 LR is at least `weight`."""
        deviates = (self.level - np.asarray(weight, float)) / max(self.deviation, 1e-6)
        return np.array([NormalDist().cdf(one) for one in np.atleast_1d(deviates)]).reshape(deviates.shape)


@dataclass(frozen=True, slots=True)
class BoundedLine:
    """Logistic calibration: log10 LR = slope · score + offset, clipped to bounds."""

    slope: float
    offset: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class SizedLine:
    """Calibration for sets of about `words` words each."""

    words: float
    calibration: BoundedLine
    strangers: Tail | NormalTail
    sized_strangers: NormalTail | None = None
    """Of the ratios with the size of the writing."""

    def tail(self, sized: bool) -> Tail | NormalTail:
        """Of different-writer ratios, with the size of the writing or without."""
        return self.sized_strangers if sized and self.sized_strangers else self.strangers


@dataclass(frozen=True, slots=True)
class PairCalibration:
    """Stored beside the model as comparison.json; interpolates linearly in log(number of words)."""

    model: str
    propositions: PairPropositions
    sizes: tuple[SizedLine, ...]
    """Fewest words first."""
    session_factor: float = 1.0
    """Factor on the PLDA's session variance, because sessions with different texts differ more."""
    shared_session: float = 1.0
    """Share of the session variance that the pages of one person in one document have in common."""
    length: MeanLength | None = None
    """Of the means that are compared; None where they are compared as they are."""
    size: SizeModel | None = None
    """How the size of writing varies; None where the resolution of the calibration pages was not known."""

    def widened(self, plda: Plda) -> Plda:
        """The PLDA that pairs are scored with: session variance times `session_factor`, means of `length`."""
        return replace(plda, session=plda.session * self.session_factor, length=self.length)

    def line(self, words: ArrayLike) -> tuple[Floats, Floats]:
        """Slope and offset that turn a score into log10 LR for sets of this size."""
        slope = self._at(words, [size.calibration.slope for size in self.sizes])
        return slope, self._at(words, [size.calibration.offset for size in self.sizes])

    def weight(self, score: ArrayLike, words: ArrayLike) -> Floats:
        """log10 LR before clipping, for ranking and for comparison with a threshold."""
        slope, offset = self.line(words)
        return np.asarray(slope * np.asarray(score) + offset)

    def bounds(self, words: ArrayLike) -> tuple[Floats, Floats]:
        """Smallest and largest log10 LR that the calibration supports for sets of this size."""
        lowest = self._at(words, [size.calibration.lowest for size in self.sizes])
        return lowest, self._at(words, [size.calibration.highest for size in self.sizes])

    def log10_lr(self, score: ArrayLike, words: ArrayLike) -> Floats:
        """Calibrated log10 LR, clipped to its bounds."""
        return np.clip(self.weight(score, words), *self.bounds(words))

    def threshold(self, words: float, enrolled: int, false_accepts: float, sized: bool = False) -> float:
        """Open-set threshold on the unclipped log10 LR of the best of `enrolled` writers.

        By the union bound, at most `false_accepts` of queries by writers not enrolled exceed it. ``sized``
        says whether the size of the writing was compared as well.
        """
        rate = false_accepts / max(1, enrolled)
        return float(self._at(words, [size.tail(sized).threshold(rate) for size in self.sizes]))

    def stranger_rate(self, weight: ArrayLike, words: ArrayLike, sized: bool = False) -> Floats:
        """Share of comparisons of two writers whose unclipped log10 LR is at least `weight`, at most 1.

        Between two sizes the logarithm of the rate is interpolated.
        """
        known = np.log([size.words for size in self.sizes])
        weights, count = np.broadcast_arrays(np.asarray(weight, float), np.log(np.asarray(words, float)))
        tails = [size.tail(sized) for size in self.sizes]
        rates = np.array([np.log(np.maximum(tail.rate(weights), 1e-300)) for tail in tails])
        above = np.clip(np.searchsorted(known, count), 1, max(1, len(known) - 1))
        if len(known) == 1:
            return np.asarray(np.exp(rates[0]))
        share = np.clip((count - known[above - 1]) / (known[above] - known[above - 1]), 0.0, 1.0)
        low, high = (np.take_along_axis(rates, at[None], 0)[0] for at in (above - 1, above))
        return np.asarray(np.exp((1 - share) * low + share * high))

    def _at(self, words: ArrayLike, values: list[float]) -> Floats:
        known = np.log([size.words for size in self.sizes])
        return np.asarray(np.interp(np.log(np.asarray(words, float)), known, values))

    def save(self, path: Path) -> None:
        """Write as JSON with the fingerprint of the scoring files in the same folder."""
        content = asdict(self) | {FIELD: scoring_fingerprint(path.parent)}
        write_text(path, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> PairCalibration:
        """Read what `save` wrote.

        Raises:
            HandshiftError: the file is no such calibration.
            CalibrationError: it was made for another model than the one beside it.
        """

        def parse(content: dict[str, Any]) -> PairCalibration:
            sizes = tuple(map(_sized_line, content["sizes"]))
            if not sizes:
                raise ValueError("no sizes")
            propositions = PairPropositions(**content["propositions"])
            shared = float(content.get("shared_session", 1.0))  # files of earlier versions have none
            length = MeanLength(**content["length"]) if content.get("length") else None
            size = SizeModel(**content["size"]) if content.get("size") else None
            factor = float(content["session_factor"])
            return cls(content["model"], propositions, sizes, factor, shared, length, size)

        return load_calibration(path, "a calibration of comparisons", parse)


def _sized_line(record: dict[str, Any]) -> SizedLine:
    tail = record["strangers"]
    strangers = NormalTail(**tail) if "deviation" in tail else Tail(**tail)
    # Files of earlier versions have none.
    sized = NormalTail(**record["sized_strangers"]) if record.get("sized_strangers") else None
    line = BoundedLine(**record["calibration"])
    return SizedLine(float(record["words"]), line, strangers, sized)


def words_of_pair(one: ArrayLike, two: ArrayLike) -> Floats:
    """Effective number of words of a pair: the harmonic mean 2 / (1/n_a + 1/n_b)."""
    return np.asarray(2 / (1 / np.asarray(one, float) + 1 / np.asarray(two, float)))
