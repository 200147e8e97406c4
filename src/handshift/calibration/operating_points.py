"""Operating points of a model: how often flagging from a log10 LR on errs, on documents of the validation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.model_fingerprint import FIELD, load_calibration, scoring_fingerprint
from handshift.core.atomic import write_text

FILE = "operating-points.json"
KEPT = 400
"""Quantiles of either kind that are kept: a rate is read to a quarter of a per cent."""


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """log10 LRs of validation documents of one length, by truth.

    Attributes:
        name: How the documents were composed.
        words: Median number of their words.
        one_hand: log10 LRs of documents by one writer, of one day and of two, ascending.
        several_hands: log10 LRs of documents with words by another writer, ascending.
        documents: How many of either kind were measured.
    """

    name: str
    words: float
    one_hand: tuple[float, ...]
    several_hands: tuple[float, ...]
    documents: tuple[int, int]

    @classmethod
    def of(cls, name: str, words: float, known: LabelledScores) -> OperatingPoints:
        """From log10 LRs of known truth; the first proposition is that of several hands."""
        several, one = known.scores[known.first], known.scores[~known.first]
        return cls(name, words, _quantiles(one), _quantiles(several), (len(one), len(several)))

    def rates(self, threshold: float) -> tuple[float, float]:
        """False-alarm and miss rate of flagging documents with a log10 LR of ``threshold`` or more."""
        alarms = float(np.mean(np.asarray(self.one_hand) >= threshold))
        return alarms, float(np.mean(np.asarray(self.several_hands) < threshold))

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name,
            "words": self.words,
            "one_hand": list(self.one_hand),
            "several_hands": list(self.several_hands),
            "documents": list(self.documents),
        }


@dataclass(frozen=True, slots=True)
class ModelOperatingPoints:
    """The operating points of a model, stored beside it with the fingerprint of its scoring files.

    Attributes:
        data: What the validation was made on.
        lengths: Fewest words first.
    """

    data: str
    lengths: tuple[OperatingPoints, ...]

    def for_words(self, words: int) -> OperatingPoints:
        """Those of the documents whose length is nearest, as a ratio."""
        return min(self.lengths, key=lambda one: abs(np.log(max(words, 1) / one.words)))

    def save(self, path: Path, model: Path) -> None:
        """Write the file for a model folder."""
        content = {
            FIELD: scoring_fingerprint(model),
            "data": self.data,
            "lengths": [one.record() for one in self.lengths],
        }
        write_text(path, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> ModelOperatingPoints:
        """Read the file beside a model.

        Raises:
            HandshiftError: It is no such file, or was measured with another model.
        """
        return load_calibration(path, "a file of operating points", cls._parse)

    @classmethod
    def _parse(cls, content: dict[str, Any]) -> ModelOperatingPoints:
        lengths = tuple(
            OperatingPoints(
                str(one["name"]),
                float(one["words"]),
                tuple(map(float, one["one_hand"])),
                tuple(map(float, one["several_hands"])),
                (int(one["documents"][0]), int(one["documents"][1])),
            )
            for one in content["lengths"]
        )
        if not lengths:
            raise ValueError("it has no lengths")
        return cls(str(content["data"]), lengths)


def _quantiles(values: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, ...]:
    ordered = np.sort(values)
    if len(ordered) > KEPT:
        ordered = np.quantile(ordered, (np.arange(KEPT) + 0.5) / KEPT)
    return tuple(round(float(value), 3) for value in ordered)
