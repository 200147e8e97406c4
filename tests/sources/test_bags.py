"""Stages 2 and 3 of the source by command: bags in files, a detector trained on them, its attention."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from handshift.bag import load_bags
from handshift.bag.bag_folder import BagFolder
from handshift.bag.make_bags import BagOptions, make_bags
from handshift.cli import app
from handshift.core.errors import HandshiftError
from handshift.corpus.split import WriterSplit
from handshift.detect.onnx_detector import NetworkDetector
from handshift.embedding.word_vectors import WordVectors

WRITERS, WORDS, DIMENSIONS = 20, 60, 8


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty writers, two sessions of one page each."""
    folder, rng = tmp_path_factory.mktemp("vectors"), np.random.default_rng(0)
    rows, lines = [], ["page,writer,session,prompt"]
    for writer in range(WRITERS):
        hand = rng.normal(0, 1.5, DIMENSIONS)
        for session in (0, 1):
            rows.append(hand + rng.normal(0, 1, (WORDS, DIMENSIONS)))
            lines += [f"{writer}-{session}.png,w{writer:02d},{session},LND"] * WORDS
    found = np.concatenate(rows).astype(np.float32)
    np.save(folder / "vectors.npy", found / np.linalg.norm(found, axis=1, keepdims=True))
    (folder / "words.csv").write_text("\n".join(lines) + "\n")
    return folder


def run(*arguments: str | Path) -> str:
    ended = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if ended.exception and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_the_source_s_bags_are_written_with_their_counts_and_a_split_of_60_20_20(
    vectors: Path, tmp_path: Path
) -> None:
    output = run("bags", vectors, "--protocol", "source", "--out", tmp_path)
    split = WriterSplit.load(tmp_path / "split.json")
    assert [len(split.parts[part]) for part in ("train", "validation", "test")] == [12, 4, 4]
    record = json.loads((tmp_path / "bags.json").read_text("utf-8"))
    assert record["options"]["words"] == 50 and record["options"]["protocol"] == "source"
    before, after = record["before"]["train"], record["after"]["train"]
    assert len(set(before.values())) == 1 and set(before) == {
        "single",
        *map("mixed {} %".format, (5, 10, 20, 30)),
    }
    assert after["single"] == before["single"]
    assert sum(after.values()) == 3 * after["single"]  # 1:4 becomes 1:2, shares equal
    assert f"{before['single']} → " in output.replace(",", "") and "mixed 30 %" in output
    bags = load_bags(tmp_path / "train", len(WordVectors.load(vectors).vectors))
    assert bags.width == 5 and set(bags.sizes.tolist()) == {50}
    assert set(bags.writer.tolist()) <= set(split.parts["train"])


def test_a_writer_on_both_sides_is_refused(vectors: Path, tmp_path: Path) -> None:
    names = [f"w{k:02d}" for k in range(8)]
    parts = {"train": names[:5], "validation": names[4:6], "test": names[6:]}
    (tmp_path / "split.json").write_text(json.dumps({"corpus": "c", "seed": 0, "parts": parts}))
    with pytest.raises(HandshiftError, match=r"share 1 writer.*'w04'"):
        run("bags", vectors, "--out", tmp_path / "bags", "--split", tmp_path / "split.json")


def test_a_part_with_one_writer_is_left_out_with_a_message(vectors: Path, tmp_path: Path) -> None:
    parts = {"train": ["w00", "w01", "w02"], "validation": ["w03"], "test": ["w04", "w05"]}
    (tmp_path / "split.json").write_text(json.dumps({"corpus": "c", "seed": 0, "parts": parts}))
    bags = tmp_path / "bags"
    output = run("bags", vectors, "--out", bags, "--split", tmp_path / "split.json", "--count", "30")
    assert "validation is left out: 1 writer, a mixed bag needs 2" in output
    assert not (bags / "validation").exists() and (bags / "test").is_dir()
    with pytest.raises(HandshiftError, match="has no validation bags"):
        run("train", "detect", "--bags", bags, "--out", tmp_path / "run")


@pytest.mark.parametrize(
    ("pattern", "placed"),
    [
        ("front", lambda foreign: foreign[:4].all() and not foreign[4:].any()),
        ("middle", lambda foreign: foreign[5:9].all()),
        ("back", lambda foreign: foreign[-4:].all()),
        ("scattered", lambda foreign: foreign.sum() == 4),
        ("blocks", lambda foreign: np.diff(np.flatnonzero(foreign)).max() > 1 or foreign.sum() == 4),
        ("lines", lambda foreign: foreign.sum() == 4),
    ],
)
def test_patterns_are_options(
    vectors: Path, tmp_path: Path, pattern: str, placed: Callable[[NDArray[np.bool_]], bool]
) -> None:
    run("bags", vectors, "--out", tmp_path, "--pattern", pattern, "--share", "0.3", "--count", "12")
    bags = BagFolder.load(tmp_path).part("train")
    mixed = [bag for bag in bags if bag.label]
    assert mixed and all(placed(bag.foreign) for bag in mixed)


def test_several_writers_are_an_option(vectors: Path, tmp_path: Path) -> None:
    run("bags", vectors, "--out", tmp_path, "--hands", "3", "--share", "0.5", "--count", "12")
    folder = BagFolder.load(tmp_path)
    writer = folder.vectors.writer
    assert {len(set(writer[bag.rows])) for bag in folder.part("train") if bag.label} == {3}


def test_options_of_the_other_protocol_are_refused() -> None:
    with pytest.raises(HandshiftError, match="patterns: not of the source's protocol"):
        BagOptions(protocol="source", patterns=("front",))
    with pytest.raises(HandshiftError, match="diagonal not known; choose block, front"):
        BagOptions(patterns=("diagonal",))


def test_bags_come_back_from_files_as_they_were_made(vectors: Path, tmp_path: Path) -> None:
    run("bags", vectors, "--protocol", "source", "--out", tmp_path, "--seed", "3")
    folder = BagFolder.load(tmp_path)
    made = make_bags(folder.vectors, folder.split, BagOptions(protocol="source", seed=3))
    for part, bags in made.parts.items():
        assert (folder.part(part).signed == bags.signed).all()
        assert folder.part(part).share.tolist() == bags.share.tolist()


def test_bags_are_refused_with_other_vectors(vectors: Path, tmp_path: Path) -> None:
    run("bags", vectors, "--out", tmp_path / "bags", "--count", "12")
    other = tmp_path / "vectors"
    other.mkdir()
    np.save(other / "vectors.npy", np.load(vectors / "vectors.npy") * 2)
    (other / "words.csv").write_bytes((vectors / "words.csv").read_bytes())
    with pytest.raises(HandshiftError, match="made from other vectors"):
        BagFolder.load(tmp_path / "bags", other)


def test_a_detector_is_trained_on_the_bags_and_its_ten_attention_weights_are_written(
    vectors: Path, tmp_path: Path
) -> None:
    run("bags", vectors, "--protocol", "source", "--out", tmp_path / "bags")
    out = tmp_path / "run"
    pace = ("--steps", "4", "--evaluate-every", "2", "--batch", "16")
    output = run(
        "train", "detect", "--bags", tmp_path / "bags", "--architecture", "ab-mil", "--out", out, *pace
    )
    assert "TPR at FPR ≤ 1 %" in output
    results = json.loads((out / "results.json").read_text("utf-8"))
    recipe = results["recipe"]
    assert recipe["protocol"] == "source" and recipe["rate"] == 1e-4
    assert recipe["bags"]["words"] == 50 and "words" not in recipe
    test = results["test"]
    assert {"accuracy", "tpr_at_1", "tpr_at_5", "false_positive_rate_all", "f1_always_mixed"} <= set(test)
    assert {"tpr_at_1_against_single", "accuracy", "f1_always_mixed"} <= set(test["shares"]["0.3"])
    assert set(results["attention"]["instances"]) == {"one hand", "mixed"}
    rows = (out / "attention.csv").read_text().splitlines()
    bags = BagFolder.load(tmp_path / "bags").part("test")
    assert len(rows) == 1 + len(bags)
    weights = np.array([row.split(",")[4:14] for row in rows[1:]], float)
    assert weights.sum(axis=1) == pytest.approx(np.ones(len(bags)), abs=1e-4)
    replaced = np.array([row.split(",")[14:] for row in rows[1:]], int)
    assert (replaced.sum(axis=1) == np.maximum(1, (10 * bags.share).astype(int)) * bags.label).all()
    assert (out / "attention-bags.png").stat().st_size > 0
    table = BagFolder.load(tmp_path / "bags").vectors.vectors
    exported = NetworkDetector(out).attention(table[bags.rows.reshape(len(bags), 50)])
    assert exported == pytest.approx(weights, abs=1e-4), "the ten weights are in detector.onnx too"
