"""How much each detector's word counts in a combination.

Several detectors weighed against each other on calibration writers: no score wins everywhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from handshift.core.arrays import Floats, Vectors
from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import plain_name, read_json_object
from handshift.core.onnx_session import ChecksumError
from handshift.detect.detector import BagScore, Detector
from handshift.detect.leave_one_out import LeaveOneOutEvidence
from handshift.detect.logistic_regression import fit_logistic
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.partition.partition_ratio import PartitionRatio
from handshift.detect.plda import Plda

USUAL = 14


@dataclass(frozen=True, slots=True)
class Weights:
    """score = Σ_k weight_k·(asinh(s_k) − mean_k) / spread_k + drift·ln(words / 14) + offset.

    s_k are the parts' scores, which grow with the bag. asinh keeps small ones as they are and large ones in
    hand (it grows like a logarithm), so that one part's thousand does not outvote the others. The score is
    ln odds at even prior odds.
    """

    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weight: tuple[float, ...]
    drift: float
    offset: float

    def combine(self, scores: ArrayLike, sizes: ArrayLike) -> Floats:
        """(bags, parts) and (bags,) words → (bags,)."""
        tamed = (np.arcsinh(scores) - np.array(self.mean)) / np.array(self.spread)
        return np.asarray(tamed @ np.array(self.weight) + self.drift * _length(sizes) + self.offset)

    def shares(self) -> Floats:
        """(parts,) how much each part says; those with a negative weight nothing."""
        say = np.maximum(np.array(self.weight), 0.0)
        return np.asarray(say / say.sum() if say.sum() > 0 else np.full(say.size, 1 / say.size))

    def plain(self) -> dict[str, object]:
        """As JSON holds them."""
        return asdict(self)


def fit_weights(scores: Floats, sizes: ArrayLike, label: ArrayLike) -> Weights:
    """Fit on the parts' scores (bags, parts) of writers that the parts have not learned from."""
    if not np.isfinite(scores).all():
        raise HandshiftError("the parts' scores must be finite to be combined")
    tamed = np.arcsinh(scores)
    mean, spread = tamed.mean(axis=0), np.maximum(tamed.std(axis=0), 1e-9)
    features = np.hstack([(tamed - mean) / spread, _length(sizes)[:, None]])
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
    """Partition ratio, leave-one-out evidence and any trained networks as one detector: the default."""

    order_aware = True

    def __init__(self, covariances: Plda, networks: Sequence[NetworkDetector], weights: Weights) -> None:
        self.covariances, self.networks, self.weights = covariances, tuple(networks), weights
        self.parts = parts_of(covariances, networks)
        if len(weights.weight) != len(self.parts):
            raise HandshiftError(f"{len(weights.weight)} weights were given for {len(self.parts)} detectors")

    def score(self, words: Vectors) -> BagScore:
        """Score (words, raw dimensions); parts with a positive weight share the contributions."""
        found = [part.score(words) for part in self.parts.values()]
        score = self.weights.combine([[scored.score for scored in found]], [len(words)])[0]
        say = self.weights.shares()
        contribution = sum(share * scored.contribution for share, scored in zip(say, found, strict=True))
        return BagScore(float(score), np.asarray(contribution))

    def save(self, folder: Path) -> None:
        """Write weights as JSON, covariances as plain arrays, and the networks beside them."""
        networks = {f"{network.name}.onnx": network.path.read_bytes() for network in self.networks}
        for name, content in networks.items():
            write_bytes(folder / name, content)
        self.covariances.save(folder / COVARIANCES)
        told = {
            "parts": list(self.parts),
            "networks": {name: hashlib.sha256(content).hexdigest() for name, content in networks.items()},
            "weights": self.weights.plain(),
        }
        write_text(folder / FILE, json.dumps(told, indent=1) + "\n")  # last: it says that all is there

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> Combination:
        """Read what `save` wrote, and refuse networks that the weights were not fitted for."""
        path = folder / FILE
        try:
            told = read_json_object(path, "a combination of detectors")
            weights = Weights(**told["weights"])
            expected = {plain_name(name): str(checksum) for name, checksum in told["networks"].items()}
            parts = [str(part) for part in told["parts"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HandshiftError(
                f"{path}: not a combination of detectors ({error}); `handshift calibrate` makes one"
            ) from error
        try:
            networks = [NetworkDetector(folder / name, threads, sha256) for name, sha256 in expected.items()]
        except ChecksumError as error:
            raise HandshiftError(f"{path}: fitted for another network; calibrate again ({error})") from error
        made = cls(Plda.load(folder / COVARIANCES), networks, weights)
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
