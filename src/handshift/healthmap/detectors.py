"""Detectors by name, loaded from a model folder and run without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.onnx_session import OnnxSession
from handshift.healthmap.baselines import FEATURE_DETECTORS, MAP_DETECTORS

DINOMALY, PATCHCORE = "dinomaly", "patchcore"
DETECTORS = (DINOMALY, *FEATURE_DETECTORS, *MAP_DETECTORS)


class Detector(Protocol):
    """Anomaly score of every patch of a map, from its encoder features."""

    def distances(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(B, groups, T, width) → (B, scales, T)."""


class DinomalyDetector:
    """The exported Dinomaly decoder with its cosine distance, run by onnxruntime."""

    FILE = "decoder.onnx"

    def __init__(self, path: Path, threads: int = 1) -> None:
        self._network = OnnxSession(path, threads, spin=False)

    def distances(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """1 − cos(feature, reconstruction) for each group and patch."""
        return self._network(features)


def load_detector(name: str, folder: Path, threads: int = 1) -> Detector:
    """Load the detector of a model folder.

    Args:
        name: One of `DETECTORS` that uses encoder features.
        folder: A folder that `handshift maps train` wrote.
        threads: Threads of onnxruntime.

    Returns:
        The detector.

    Raises:
        HandshiftError: The detector's file is missing or damaged.
    """
    if name == DINOMALY:
        return DinomalyDetector(folder / DinomalyDetector.FILE, threads)
    return FEATURE_DETECTORS[name].load(folder / f"{name}.npz")
