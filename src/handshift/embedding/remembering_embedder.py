"""`RememberingEmbedder`: a word network that computes the vector of a crop once."""

from __future__ import annotations

import hashlib
import io
from collections import OrderedDict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.core.loaders import parse_npz
from handshift.embedding.embedder import Embedder

MOST = 20_000
"""Vectors kept, about 300 pages: 5 MB at 48 dimensions."""
_DIGEST = 16
"""Bytes of a crop's BLAKE2b digest."""


class RememberingEmbedder(Embedder):
    """Keeps the vectors of the newest crops, so that a page of which one word changed costs one word.

    The vector of a crop depends on the crop alone, to the bit, so that what is remembered is what would be
    computed: a test compares.

    Args:
        path: The ``.onnx`` file.
        threads: Processor threads.
    """

    def __init__(self, path: Path, threads: int = 2) -> None:
        super().__init__(path, threads)
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._last: tuple[list[bytes], NDArray[np.float32]] = ([], np.zeros((0, self.dimensions), np.float32))

    def embed_crops(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Embed crops (words, 64, 240) → (words, dimensions); those seen before are not computed again."""
        keys = [hashlib.blake2b(crop.tobytes(), digest_size=_DIGEST).digest() for crop in crops]
        new = [row for row, key in enumerate(keys) if key not in self._kept]
        if new:
            self._keep([keys[row] for row in new], super().embed_crops(crops[new]))
        vectors = np.empty((len(crops), self.dimensions), np.float32)
        for row, key in enumerate(keys):
            vectors[row] = self._kept[key]
            self._kept.move_to_end(key)
        self._last = keys, vectors
        self._forget()
        return vectors

    def packed(self) -> bytes:
        """What the last call returned, by the digests of its crops: for `recall` in another process."""
        buffer, (keys, vectors) = io.BytesIO(), self._last
        digests = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _DIGEST)
        np.savez(buffer, network=self._network(), digests=digests, vectors=vectors)
        return buffer.getvalue()

    def recall(self, packed: bytes) -> None:
        """Remember what `packed` gave; vectors of another network are left alone.

        Raises:
            HandshiftError: The bytes are no such vectors.
        """
        found = parse_npz(packed, "remembered vectors")
        if not np.array_equal(found.get("network", ()), self._network()):
            return
        digests, vectors = found["digests"], np.asarray(found["vectors"], np.float32)
        if digests.shape != (len(vectors), _DIGEST) or vectors.shape[1:] != (self.dimensions,):
            raise HandshiftError("remembered vectors do not fit their crops")
        self._keep([bytes(digest) for digest in digests], vectors)
        self._forget()

    def _network(self) -> NDArray[np.uint8]:
        return np.frombuffer(bytes.fromhex(self._session.sha256), np.uint8)

    def _keep(self, keys: list[bytes], vectors: NDArray[np.float32]) -> None:
        self._kept.update(zip(keys, vectors, strict=True))

    def _forget(self) -> None:
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
