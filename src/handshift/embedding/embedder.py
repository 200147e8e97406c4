"""Word vectors from the shipped network, by onnxruntime alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.onnx_session import OnnxSession
from handshift.embedding.crops.word_crop import by_width, word_crops
from handshift.page.word import Word

_BATCH = 32
"""Small batches stay in the processor's cache and keep memory flat on pages of any size."""


class Embedder:
    """An ONNX word network, loaded once."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        self._session = OnnxSession(path, threads)
        self.dimensions = int(self._session.output_shape()[1])

    def embed(self, words: Sequence[Word], scale: float) -> NDArray[np.float32]:
        """(words, dimensions) in the words' order: directions that tell hands apart, lengths of at most 1.

        A joined network gives short words short rows, because they say little; others give unit rows.
        """
        return self.embed_crops(word_crops(words, scale))

    def embed_crops(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(words, 64, 240) → (words, dimensions), rows as above."""
        vectors = np.empty((len(crops), self.dimensions), np.float32)
        for rows, alike in by_width(crops):
            for start in range(0, rows.size, _BATCH):
                pictures = alike[start : start + _BATCH, None].astype(np.float32) / 255
                vectors[rows[start : start + _BATCH]] = self._session(pictures)
        return vectors


def unit_rows(weighed: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same directions at length 1; a row of zeros stays one."""
    return np.asarray(weighed / np.maximum(np.linalg.norm(weighed, axis=1, keepdims=True), 1e-12))
