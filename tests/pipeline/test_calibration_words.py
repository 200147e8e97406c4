"""What a model is calibrated on: the calibration writers of a corpus, or of several databases."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import CorpusError, HandshiftError
from handshift.embedding.word_vectors import file_sha256
from handshift.pipeline.calibrate_model import calibrate_model
from handshift.pipeline.calibration_words import CalibrationWords

WRITERS = ("csafe/a", "csafe/b", "iam/c")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Vectors of three writers of two databases, as `handshift corpus embed` leaves them."""
    folder = tmp_path / "vectors"
    folder.mkdir()
    (tmp_path / "words.onnx").write_bytes(b"a network")
    np.save(folder / "vectors.npy", np.eye(3, dtype=np.float32))
    with (folder / "words.csv").open("w", newline="") as file:
        rows = [(f"{writer}/1", writer, 1, writer.partition("/")[0]) for writer in WRITERS]
        csv.writer(file).writerows([("page", "writer", "session", "prompt"), *rows])
    made_of = {"network": file_sha256(tmp_path / "words.onnx"), "databases": ["csafe", "iam"]}
    (folder / "vectors.json").write_text(json.dumps(made_of))
    write_split(folder / "split.json", WRITERS[1:])
    return folder


def write_split(path: Path, calibration: tuple[str, ...]) -> None:
    parts = {"train": [WRITERS[0]], "calibration": list(calibration)}
    path.write_text(json.dumps({"corpus": "csafe+iam", "seed": 0, "parts": parts}))


def test_databases_bring_their_split(vectors: Path) -> None:
    found = CalibrationWords.of_databases(vectors.parent / "words.onnx", vectors)
    assert found.name == "csafe and iam" and found.writers == WRITERS[1:]
    assert found.table.vectors.shape == (3, 3)


def test_another_split_may_be_given(vectors: Path) -> None:
    write_split(vectors.parent / "other.json", ("iam/c",))
    found = CalibrationWords.of_databases(
        vectors.parent / "words.onnx", vectors, vectors.parent / "other.json"
    )
    assert found.writers == ("iam/c",)
    write_split(vectors.parent / "other.json", ("iam/stranger",))
    with pytest.raises(CorpusError, match="iam/stranger"):
        CalibrationWords.of_databases(vectors.parent / "words.onnx", vectors, vectors.parent / "other.json")


def test_without_a_split_or_a_corpus_nothing_is_calibrated(vectors: Path) -> None:
    network, out = vectors.parent / "words.onnx", vectors.parent / "model"
    with pytest.raises(HandshiftError, match="give a corpus, or the vectors"):
        calibrate_model(network, None, None, out)
    (vectors / "split.json").unlink()
    with pytest.raises(HandshiftError, match=r"no split\.json beside the vectors"):
        calibrate_model(network, None, None, out, vectors=vectors)
    assert not out.exists()


def test_vectors_of_another_network_are_refused(vectors: Path) -> None:
    (vectors.parent / "words.onnx").write_bytes(b"another network")
    with pytest.raises(HandshiftError, match="made by another network"):
        CalibrationWords.of_databases(vectors.parent / "words.onnx", vectors)
