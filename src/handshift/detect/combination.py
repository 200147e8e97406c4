"""Several detectors weighed against each other on calibration writers: no score wins everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.atomic import write_bytes, write_text
from handshift.detect.covariance import CovarianceModel
from handshift.detect.detector import PartitionRatio
from handshift.detect.interface import Detector, Scored, Vectors
from handshift.detect.leave_one_out import LeaveOneOutEvidence
from handshift.detect.logistic import fit_logistic
from handshift.detect.network import NetworkDetector
from handshift.error import HandshiftError

Floats = NDArray[np.float64]
FILE, COVARIANCES, NETWORK = "combination.json", "covariances.npz", "relation-net.onnx"
PARTS = ("partition", "leave-one-out", "relation-net")


@dataclass(frozen=True, slots=True)
class Weights:
    """score = Σ_k weight_k · (asinh(s_k) − mean_k) / spread_k + offset, with s_k the parts' scores.

    asinh keeps small scores as they are and large ones in hand (it grows like a logarithm), so that one
    part's thousand does not outvote the others. The score is ln odds at even prior odds.
    """

    mean: Floats
    spread: Floats
    weight: Floats
    offset: float

    def combine(self, scores: Floats) -> Floats:
        """(bags, parts) → (bags,)."""
        return np.asarray((np.arcsinh(scores) - self.mean) / self.spread @ self.weight + self.offset)


def fit_weights(scores: Floats, label: NDArray[np.bool_]) -> Weights:
    """Fit on the parts' scores (bags, parts) of calibration writers, not of those the parts learned from."""
    if not np.isfinite(scores).all():
        raise HandshiftError("the parts' scores must be finite to be combined")
    tamed = np.arcsinh(scores)
    mean, spread = tamed.mean(axis=0), np.maximum(tamed.std(axis=0), 1e-9)
    weight, offset = fit_logistic((tamed - mean) / spread, label)
    return Weights(mean, spread, weight, offset)


class Combination:
    """Partition ratio, leave-one-out evidence and relation net as one detector."""

    order_aware = True

    def __init__(self, covariances: CovarianceModel, network: NetworkDetector, weights: Weights) -> None:
        self.covariances, self.network, self.weights = covariances, network, weights
        self._parts = parts_of(covariances, network)

    def score(self, words: Vectors) -> Scored:
        """Score (words, raw dimensions); parts with a positive weight share the contributions."""
        found = [part.score(words) for part in self._parts]
        score = self.weights.combine(np.array([[scored.score for scored in found]]))[0]
        say = np.maximum(self.weights.weight, 0.0)
        say = say / say.sum() if say.sum() > 0 else np.full(len(found), 1 / len(found))
        contribution = sum(share * scored.contribution for share, scored in zip(say, found, strict=True))
        return Scored(float(score), np.asarray(contribution))

    def save(self, folder: Path) -> None:
        """Write weights as JSON, covariances as plain arrays, and the network beside them."""
        network = self.network.path.read_bytes()
        write_bytes(folder / NETWORK, network)
        self.covariances.save(folder / COVARIANCES)
        content = {
            "parts": PARTS,
            "mean": self.weights.mean.tolist(),
            "spread": self.weights.spread.tolist(),
            "weight": self.weights.weight.tolist(),
            "offset": self.weights.offset,
            "network": hashlib.sha256(network).hexdigest(),
        }
        write_text(folder / FILE, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> Combination:
        """Read what `save` wrote, and refuse a network that the weights were not fitted for."""
        path = folder / FILE
        try:
            content = json.loads(path.read_text("utf-8"))
            mean, spread, weight = (np.array(content[name], float) for name in ("mean", "spread", "weight"))
            weights = Weights(mean, spread, weight, float(content["offset"]))
            fitted_for, parts = content["network"], content["parts"]
            found = hashlib.sha256((folder / NETWORK).read_bytes()).hexdigest()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise HandshiftError(f"{path}: not a combination of detectors ({error})") from error
        if found != fitted_for or tuple(parts) != PARTS:
            raise HandshiftError(f"{path}: fitted for another network than {NETWORK}; fit it again")
        network = NetworkDetector(folder / NETWORK, threads)
        return cls(CovarianceModel.load(folder / COVARIANCES), network, weights)


def parts_of(covariances: CovarianceModel, network: NetworkDetector) -> list[Detector]:
    """The detectors that are combined, in the order of `PARTS`."""
    return [PartitionRatio(covariances), LeaveOneOutEvidence(covariances), network]


def fit_combination(
    bags: Sequence[Vectors], label: NDArray[np.bool_], covariances: CovarianceModel, network: NetworkDetector
) -> Combination:
    """Score bags of calibration writers by each part, and weigh the parts."""
    parts = parts_of(covariances, network)
    scores = np.array([[part.score(words).score for part in parts] for words in bags])
    return Combination(covariances, network, fit_weights(scores, np.asarray(label, bool)))
