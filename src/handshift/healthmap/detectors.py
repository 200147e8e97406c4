"""The detectors a model may hold, by name, each ready to measure features without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.onnx_session import OnnxSession
from handshift.healthmap.baselines import FITTED

DINOMALY = "dinomaly"
DETECTORS = (DINOMALY, *FITTED)


class Detector(Protocol):
    """Says of every patch how odd it is."""

    def distances(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(B, groups, T, width) → (B, scales, T)."""


class DinomalyDetector:
    """The exported decoder and its cosine distance."""

    FILE = "decoder.onnx"

    def __init__(self, path: Path, threads: int = 1) -> None:
        self._network = OnnxSession(path, threads, spin=False)

    def distances(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """1 − cos, group by group."""
        return self._network(features)


def load_detector(name: str, folder: Path, threads: int = 1) -> Detector:
    """The detector of a model folder."""
    if name == DINOMALY:
        return DinomalyDetector(folder / DinomalyDetector.FILE, threads)
    return FITTED[name].load(folder / f"{name}.npz")
