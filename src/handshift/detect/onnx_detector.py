"""A trained detector network at run time, by onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Vectors
from handshift.core.errors import HandshiftError
from handshift.core.onnx_session import OnnxSession
from handshift.detect.detector import BagScore, shares

DETECTOR = "detector.onnx"
"""File name in the folder of a training."""


class NetworkDetector:
    """An exported network, loaded once; from a file, or from the folder of its training."""

    def __init__(self, path: Path, threads: int = 1, sha256: str | None = None) -> None:
        path = path / DETECTOR if path.is_dir() else path
        self._session = OnnxSession(path, threads, sha256=sha256)
        names = (*self._session.input_names, *self._session.output_names)
        if names != ("words", "mask", "logit", "contribution"):
            raise HandshiftError(f"{path}: not a detector; `handshift train detect` writes them")
        metadata = self._session.metadata
        self._aware = metadata.get("order_aware") == "true"
        self.name = metadata.get("name") or path.stem
        """Of the model, as `handshift train detect --model` has it."""
        self.path = path

    @property
    def order_aware(self) -> bool:
        """Whether the score depends on the order of words; it is invariant under reversal."""
        return self._aware

    def score(self, words: Vectors) -> BagScore:
        """Score one bag (words, dimensions)."""
        logit, contribution = self.score_bags(words[None], np.ones((1, len(words)), bool))
        return BagScore(float(logit[0]), shares(contribution[0].astype(np.float64)))

    def score_bags(
        self, words: Vectors, mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(bags, n, dimensions) and (bags, n) → logits (bags,) and contributions (bags, n)."""
        logit, contribution = self._session.run(words=words.astype(np.float32), mask=mask)
        return logit, contribution
