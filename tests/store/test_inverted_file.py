"""The inverted file returns nearly what a comparison with all rows returns, and exactly it for few rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.core.loaders import LoadError
from handshift.store import inverted_file
from handshift.store.inverted_file import InvertedFile


def clustered(rows: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(rows // 10, 16))
    return (np.repeat(centres, 10, axis=0) + 0.5 * rng.normal(size=(rows, 16))).astype(np.float32)


def nearest(rows: np.ndarray, query: np.ndarray, count: int) -> list[int]:
    return np.argsort(np.square(rows - query).sum(axis=1), kind="stable")[:count].tolist()


def test_few_rows_are_searched_exhaustively_and_distances_are_squared():
    rows = clustered(200)
    found, distances = InvertedFile.build(rows).search(rows[7], 10)
    assert found.tolist() == nearest(rows, rows[7], 10)
    assert found[0] == 7 and distances[0] == pytest.approx(0, abs=1e-4)
    assert np.allclose(distances, np.square(rows[found] - rows[7]).sum(axis=1), atol=1e-3)
    assert len(InvertedFile.build(rows[:3]).search(rows[0], 10)[0]) == 3
    assert InvertedFile.build(rows[:0]).search(rows[0], 10)[0].size == 0


def test_lists_are_saved_and_searched_with_high_recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inverted_file, "UNLISTED", 1000)
    rows = clustered(8000)
    built = InvertedFile.build(rows)
    assert sorted(built.numbers.tolist()) == list(range(8000))
    assert len(built.centroids) > 100
    built.save(tmp_path)
    loaded = InvertedFile.load(tmp_path)
    queries = rows[::400] + 0.05
    recall = [
        len(set(loaded.search(query, 10, 0.1)[0]) & set(nearest(rows, query, 10))) / 10 for query in queries
    ]
    assert np.mean(recall) > 0.9
    assert loaded.search(queries[0], 10, 1.0)[0].tolist() == nearest(rows, queries[0], 10)
    (tmp_path / "rows.npy").write_bytes(b"torn")
    with pytest.raises(LoadError):
        InvertedFile.load(tmp_path)


def test_a_few_more_rows_than_are_all_compared_lose_few_neighbours(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inverted_file, "UNLISTED", 1000)
    monkeypatch.setattr(inverted_file, "EXHAUSTIVE", 4000)
    rows = np.random.default_rng(1).normal(size=(5000, 96)).astype(np.float32)  # no clusters to go by
    index, queries = InvertedFile.build(rows), rows[::250] + 0.2

    def recall(probed: float | None) -> float:
        found = [set(index.search(query, 10, probed)[0].tolist()) for query in queries]
        true = [set(nearest(rows, query, 10)) for query in queries]
        return sum(len(one & other) for one, other in zip(found, true, strict=True)) / (10 * len(queries))

    assert recall(inverted_file.PROBED) < 0.9 < recall(None)
