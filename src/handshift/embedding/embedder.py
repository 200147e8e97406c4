"""Computes word vectors with an exported network, by onnxruntime alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.onnx_session import OnnxSession
from handshift.embedding.crops.scaling import KEY, scaling_named
from handshift.embedding.crops.word_crop import Measured, by_width
from handshift.page.word import Word

_BATCH = 32
"""Small batches fit the processor's cache and keep memory constant on pages of any size."""


class Embedder:
    """An ONNX word network, loaded once.

    Args:
        path: The ``.onnx`` file.
        threads: Batches embedded side by side. Threads within an operator would wait for each other at the
            end of every layer.
    """

    def __init__(self, path: Path, threads: int = 2) -> None:
        self._session, self._threads = OnnxSession(path), threads
        self.dimensions = int(self._session.output_shape()[1])
        self.scaling = scaling_named(self._session.metadata.get(KEY))
        """What the scale of its crops is taken from."""

    def embed(self, words: Sequence[Word], page: Measured) -> NDArray[np.float32]:
        """Embed the legible words of one page.

        Row length weights the word; rows are not normalised. A joined network gives short words rows shorter
        than 1, other networks give unit rows.

        Args:
            words: Words with their ink.
            page: Measured sizes of their page.

        Returns:
            (words, dimensions), row lengths at most 1.
        """
        return self.embed_crops(self.scaling.crops(page, words))

    def embed_crops(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Embed crops (words, 64, 240) → (words, dimensions), rows weighted as by `embed`."""
        vectors = np.empty((len(crops), self.dimensions), np.float32)

        def embed(batch: tuple[NDArray[np.intp], NDArray[np.uint8]]) -> None:
            rows, pictures = batch
            vectors[rows] = self._session(pictures[:, None].astype(np.float32) / 255)

        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(embed, self._batches(crops)))
        return vectors

    def _batches(self, crops: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
        """Rows and pictures of one width, so few that every thread has some of a short page."""
        for rows, group in by_width(crops):
            size = min(_BATCH, -(-rows.size // self._threads))
            for start in range(0, rows.size, size):
                yield rows[start : start + size], group[start : start + size]


def unit_rows(weighted: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normalise rows to length 1; a row of zeros stays zero."""
    return np.asarray(weighted / np.maximum(np.linalg.norm(weighted, axis=1, keepdims=True), 1e-12))
