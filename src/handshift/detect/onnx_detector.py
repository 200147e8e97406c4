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
        if names[:4] != ("words", "mask", "logit", "contribution") or names[4:] not in ((), ("attention",)):
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
        logit, contribution, *_ = self._session.run(words=words.astype(np.float32), mask=mask)
        return logit, contribution

    @property
    def has_attention(self) -> bool:
        """Whether the network pools instances by attention and exports the weights, as AB-MIL does."""
        return "attention" in self._session.output_names

    def attention(self, words: Vectors, mask: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """Attention weights of the instances of each bag.

        Args:
            words: (bags, n, dimensions); of a network trained on the source's bags, n is 50.
            mask: (bags, n) true on words, false on padding; all words if None.

        Returns:
            (bags, instances), rows summing to 1.

        Raises:
            HandshiftError: The network has no attention over instances, or its file is older.
        """
        if not self.has_attention:
            raise HandshiftError(
                f"{self.path}: {self.name} exports no attention over instances; ab-mil and gated-ab-mil do"
            )
        mask = np.ones(words.shape[:2], bool) if mask is None else mask
        weights: NDArray[np.float32] = self._session.run(words=words.astype(np.float32), mask=mask)[2]
        return weights
