"""Combination of detectors by logistic regression, fitted on calibration writers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from handshift.core.arrays import Floats, Vectors
from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import plain_name, read_json_object
from handshift.core.onnx_session import ChecksumError
from handshift.detect.detector import BagScore, Detector, shares
from handshift.detect.leave_one_out import LeaveOneOutEvidence
from handshift.detect.logistic_regression import fit_logistic
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.partition.partition_ratio import PartitionRatio
from handshift.detect.plda import Plda

USUAL = 14
"""Words of a bag at which the length term is 0."""


@dataclass(frozen=True, slots=True)
class Weights:
    """score = Σ_k weight_k·(asinh(s_k) − mean_k) / spread_k + drift·ln(words / 14) + offset.

    s_k are the parts' scores, which grow with the bag. asinh is linear for small scores and logarithmic for
    large ones, so that one part's extreme score does not dominate. The score is ln odds at even prior odds.
    """

    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weight: tuple[float, ...]
    drift: float
    offset: float

    def combine(self, scores: ArrayLike, sizes: ArrayLike) -> Floats:
        """(bags, parts) and (bags,) words → (bags,)."""
        scaled = (np.arcsinh(scores) - np.array(self.mean)) / np.array(self.spread)
        return np.asarray(scaled @ np.array(self.weight) + self.drift * _length(sizes) + self.offset)

    def shares(self) -> Floats:
        """(parts,) positive weights, normalised to sum 1; negative weights count as 0."""
        return shares(np.maximum(np.array(self.weight), 0.0))

    def plain(self) -> dict[str, object]:
        """As plain data for JSON."""
        return asdict(self)


def fit_weights(scores: Floats, sizes: ArrayLike, label: ArrayLike) -> Weights:
    """Fit by logistic regression.

    Args:
        scores: (bags, parts) of writers that the parts were not trained on.
        sizes: (bags,) words.
        label: (bags,) whether several hands wrote the bag.

    Raises:
        HandshiftError: a score is not finite, or one class is missing.
    """
    if not np.isfinite(scores).all():
        raise HandshiftError("the parts' scores must be finite to be combined")
    scaled = np.arcsinh(scores)
    mean, spread = scaled.mean(axis=0), np.maximum(scaled.std(axis=0), 1e-9)
    features = np.hstack([(scaled - mean) / spread, _length(sizes)[:, None]])
    found, offset = fit_logistic(features, np.asarray(label, bool))
    return Weights(
        mean=tuple(mean.tolist()),
        spread=tuple(spread.tolist()),
        weight=tuple(found[:-1].tolist()),
        drift=float(found[-1]),
        offset=offset,
    )


def _length(sizes: ArrayLike) -> Floats:
    return np.asarray(np.log(np.maximum(np.asarray(sizes, float), 1.0) / USUAL))


FILE, COVARIANCES = "combination.json", "covariances.npz"


class Combination:
    """The default detector: partition ratio, leave-one-out evidence and networks, combined linearly.

    Args:
        covariances: PLDA of the word vectors.
        networks: Trained detectors.
        weights: One for each detector, as `parts_of` orders them.
        threads: Detectors that score side by side.
    """

    order_aware = True

    def __init__(
        self, covariances: Plda, networks: Sequence[NetworkDetector], weights: Weights, threads: int = 1
    ) -> None:
        self.covariances, self.networks, self.weights = covariances, tuple(networks), weights
        self._threads = threads
        self.parts = parts_of(covariances, networks)
        if len(weights.weight) != len(self.parts):
            raise HandshiftError(f"{len(weights.weight)} weights were given for {len(self.parts)} detectors")

    def score(self, words: Vectors) -> BagScore:
        """Score (words, raw dimensions); contributions are averaged by the parts' normalised weights."""
        with ThreadPoolExecutor(self._threads) as pool:
            found = list(pool.map(lambda part: part.score(words), self.parts.values()))
        score = self.weights.combine([[scored.score for scored in found]], [len(words)])[0]
        weights = self.weights.shares()
        contribution = sum(share * scored.contribution for share, scored in zip(weights, found, strict=True))
        return BagScore(float(score), np.asarray(contribution))

    def save(self, folder: Path) -> None:
        """Write weights as JSON, PLDA as plain arrays, and the networks beside them."""
        networks = {f"{network.name}.onnx": network.path.read_bytes() for network in self.networks}
        for name, content in networks.items():
            write_bytes(folder / name, content)
        self.covariances.save(folder / COVARIANCES)
        stored = {
            "parts": list(self.parts),
            "networks": {name: hashlib.sha256(content).hexdigest() for name, content in networks.items()},
            "weights": self.weights.plain(),
        }
        write_text(
            folder / FILE, json.dumps(stored, indent=1) + "\n"
        )  # last: its presence marks a complete folder

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> Combination:
        """Read what `save` wrote.

        Raises:
            HandshiftError: files are missing or damaged, or the weights were fitted for other networks.
        """
        path = folder / FILE
        try:
            stored = read_json_object(path, "a combination of detectors")
            weights = Weights(**stored["weights"])
            expected = {plain_name(name): str(checksum) for name, checksum in stored["networks"].items()}
            parts = [str(part) for part in stored["parts"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HandshiftError(
                f"{path}: not a combination of detectors ({error}); `handshift calibrate` makes one"
            ) from error
        try:
            networks = [NetworkDetector(folder / name, sha256=sha256) for name, sha256 in expected.items()]
        except ChecksumError as error:
            raise HandshiftError(f"{path}: fitted for another network; calibrate again ({error})") from error
        made = cls(Plda.load(folder / COVARIANCES), networks, weights, threads)
        if list(made.parts) != parts:
            raise HandshiftError(f"{path}: fitted for the detectors {', '.join(parts)}")
        return made


def parts_of(covariances: Plda, networks: Sequence[NetworkDetector]) -> dict[str, Detector]:
    """The detectors that are combined, by name."""
    named: dict[str, Detector] = {
        "partition": PartitionRatio(covariances),
        "leave-one-out": LeaveOneOutEvidence(covariances),
    }
    for network in networks:
        if network.name in named:
            raise HandshiftError(f"{network.path}: there is another {network.name} already; give one of each")
        named[network.name] = network
    return named
