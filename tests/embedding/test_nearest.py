"""faiss finds the same neighbours as comparing with everyone."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.embedding import nearest as search
from handshift.embedding.nearest import FaissIndex


@pytest.mark.parametrize("flat_up_to", [20_000, 100], ids=["row by row", "by graph"])
def test_faiss_finds_the_nearest_by_angle(monkeypatch, flat_up_to):
    pytest.importorskip("faiss")
    monkeypatch.setattr(search, "_FLAT_UP_TO", flat_up_to)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 12)) * rng.uniform(0.1, 9, size=(500, 1))
    query = rng.normal(size=12)
    angle = rows @ query / np.linalg.norm(rows, axis=1)
    assert FaissIndex(rows).nearest(query, 5).tolist() == np.argsort(-angle)[:5].tolist()


def test_without_faiss_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(HandshiftError, match=r"pip install 'handshift\[search\]'"):
        FaissIndex(np.eye(3))
