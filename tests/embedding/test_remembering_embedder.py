"""A word network that remembers gives the vectors that it would compute, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.demo import ONE_HAND
from handshift.embedding import remembering_embedder
from handshift.embedding.embedder import Embedder
from handshift.embedding.remembering_embedder import RememberingEmbedder
from handshift.models.shipped_models import NETWORK, find_model
from handshift.page.scan import Scan, scan_pages
from handshift.pipeline.read_pages import segment_scan


@pytest.fixture(scope="module")
def network() -> Path:
    return find_model(None).folder / NETWORK


@pytest.fixture(scope="module")
def crops(network: Path) -> NDArray[np.uint8]:
    scan = next(iter(scan_pages(ONE_HAND)))
    assert isinstance(scan, Scan)
    page, scaling = segment_scan(scan), Embedder(network).scaling
    legible = scaling.legible(page)
    return scaling.crops(page, [word for word, readable in zip(page.words, legible, strict=True) if readable])


class CountingEmbedder(RememberingEmbedder):
    """Counts the crops that are given to the network."""

    computed = 0

    def _keep(self, keys: list[bytes], vectors: NDArray[np.float32]) -> None:
        self.computed += len(keys)
        super()._keep(keys, vectors)


def test_only_what_is_new_is_computed_and_all_is_equal(network: Path, crops: NDArray[np.uint8]) -> None:
    embedder = CountingEmbedder(network)
    expected = Embedder(network).embed_crops(crops)
    assert np.array_equal(embedder.embed_crops(crops[::2]), expected[::2])
    assert embedder.computed == len(crops[::2])
    assert np.array_equal(embedder.embed_crops(crops), expected)
    assert embedder.computed == len(crops)
    assert np.array_equal(embedder.embed_crops(crops[::-1]), expected[::-1])
    assert embedder.computed == len(crops)


def test_vectors_travel_to_another_process(network: Path, crops: NDArray[np.uint8]) -> None:
    first, second = RememberingEmbedder(network), CountingEmbedder(network)
    expected = first.embed_crops(crops)
    second.recall(first.packed())
    second.computed = 0
    assert np.array_equal(second.embed_crops(crops), expected)
    assert second.computed == 0
    assert RememberingEmbedder(network).packed()  # of no crop yet


def test_vectors_of_another_network_are_not_used(network: Path, tmp_path: Path) -> None:
    embedder, other = RememberingEmbedder(network), CountingEmbedder(network)
    embedder.embed_crops(np.full((2, 64, 240), 9, np.uint8))
    other._session.sha256 = "0" * 64
    other.recall(embedder.packed())
    assert other.computed == 0
    with pytest.raises(HandshiftError):
        other.recall(b"no arrays")


def test_the_oldest_are_forgotten(
    network: Path, crops: NDArray[np.uint8], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembering_embedder, "MOST", 4)
    embedder = CountingEmbedder(network)
    embedder.embed_crops(crops[:6])
    assert embedder.embed_crops(crops[2:6]).shape[0] == 4 and embedder.computed == 6
    embedder.embed_crops(crops[:1])
    assert embedder.computed == 7
