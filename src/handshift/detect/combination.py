"""Several detectors weighed against each other on calibration writers: no score wins everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from handshift.atomic import write_bytes, write_text
from handshift.detect.covariance import CovarianceModel
from handshift.detect.detector import PartitionRatio
from handshift.detect.interface import Detector, Scored, Vectors
from handshift.detect.leave_one_out import LeaveOneOutEvidence
from handshift.detect.network import NetworkDetector
from handshift.detect.weighing import Weights
from handshift.error import HandshiftError

FILE, COVARIANCES = "combination.json", "covariances.npz"


class Combination:
    """Partition ratio, leave-one-out evidence and any trained networks as one detector: the default."""

    order_aware = True

    def __init__(
        self, covariances: CovarianceModel, networks: Sequence[NetworkDetector], weights: Weights
    ) -> None:
        self.covariances, self.networks, self.weights = covariances, tuple(networks), weights
        self.parts = parts_of(covariances, networks)
        if len(weights.weight) != len(self.parts):
            raise HandshiftError(f"{len(weights.weight)} weights were given for {len(self.parts)} detectors")

    def score(self, words: Vectors) -> Scored:
        """Score (words, raw dimensions); parts with a positive weight share the contributions."""
        found = [part.score(words) for part in self.parts.values()]
        score = self.weights.combine([[scored.score for scored in found]], [len(words)])[0]
        say = self.weights.shares()
        contribution = sum(share * scored.contribution for share, scored in zip(say, found, strict=True))
        return Scored(float(score), np.asarray(contribution))

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
            told = json.loads(path.read_text("utf-8"))
            weights = Weights(**told["weights"])
            expected = dict(told["networks"])
            found = {
                name: hashlib.sha256((folder / Path(name).name).read_bytes()).hexdigest() for name in expected
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise HandshiftError(
                f"{path}: not a combination of detectors ({error}); `handshift calibrate` makes one"
            ) from error
        for name, checksum in expected.items():
            if found[name] != checksum:
                raise HandshiftError(f"{path}: fitted for another network than {name}; calibrate again")
        networks = [NetworkDetector(folder / name, threads) for name in expected]
        made = cls(CovarianceModel.load(folder / COVARIANCES), networks, weights)
        if list(made.parts) != told["parts"]:
            raise HandshiftError(f"{path}: fitted for the detectors {', '.join(told['parts'])}")
        return made


def parts_of(covariances: CovarianceModel, networks: Sequence[NetworkDetector]) -> dict[str, Detector]:
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
