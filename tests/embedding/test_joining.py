"""Several trainings become one network that tells writers apart at least as well."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from drawn_shapes import draw_identities
from typer.testing import CliRunner

from handshift.cli.train import app
from handshift.core.errors import HandshiftError
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.discriminant import fit_discriminant
from handshift.embedding.export.joined_graph import write_joined
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone


def noisy_writers(count=20, words=40, dimensions=6, seed=0):
    """Writers differ along the first axis; their words scatter widely along the second."""
    rng = np.random.default_rng(seed)
    spread = np.array([0.3, 3.0, *[0.3] * (dimensions - 2)])
    centres = np.zeros((count, dimensions))
    centres[:, 0] = rng.normal(size=count)
    vectors = np.repeat(centres, words, axis=0) + spread * rng.normal(size=(count * words, dimensions))
    return vectors, np.repeat([f"w{number}" for number in range(count)], words)


def test_the_first_axis_is_where_writers_differ_and_one_writers_words_do_not():
    vectors, writer = noisy_writers()
    found = fit_discriminant(vectors, writer, 1, shrinkage=0.0)
    axis = found.axes[:, 0] / np.linalg.norm(found.axes[:, 0])
    assert abs(axis[0]) > 0.95


def test_words_of_one_writer_have_unit_variance_along_every_axis():
    vectors, writer = noisy_writers()
    found = fit_discriminant(vectors, writer, 6, shrinkage=0.0)
    turned = (vectors - found.mean) @ found.axes
    within = np.mean([np.cov(turned[writer == name].T, bias=True) for name in np.unique(writer)], axis=0)
    assert np.allclose(within, np.eye(6), atol=1e-8)


def test_what_databases_differ_in_is_no_direction_of_hands():
    vectors, writer = noisy_writers()
    others, names = noisy_writers(seed=1)
    others[:, 2] += 30  # as another scanner would
    both, writers = np.concatenate([vectors, others]), np.concatenate([writer, np.char.add("o", names)])
    home = np.repeat(["one", "other"], len(vectors))
    apart, together = (fit_discriminant(both, writers, 1, 0.0, where).axes[:, 0] for where in (home, None))
    assert abs(apart[0]) > 10 * abs(apart[2])
    assert abs(together[2]) > abs(together[0])


def test_databases_count_alike_however_many_writers_they_have():
    few, writer = noisy_writers(count=4)
    many, names = noisy_writers(count=40, seed=1)
    many[:, 3] += np.repeat(np.random.default_rng(2).normal(size=40), 40)  # a second axis
    both, writers = np.concatenate([few, many]), np.concatenate([writer, np.char.add("o", names)])
    home = np.repeat(["few", "many"], [len(few), len(many)])
    twice = np.concatenate([many, many]), np.concatenate([np.char.add("o", names), np.char.add("p", names)])
    more = fit_discriminant(
        np.concatenate([few, twice[0]]), np.concatenate([writer, twice[1]]), 2, 0.0,
        np.repeat(["few", "many"], [len(few), 2 * len(many)]),
    )  # fmt: skip
    once = fit_discriminant(both, writers, 2, 0.0, home)
    assert np.allclose(np.abs(once.axes), np.abs(more.axes), atol=1e-6)


@pytest.mark.parametrize(("writers", "dimensions"), [(1, 2), (3, 7)])
def test_a_discriminant_without_ground_is_refused(writers, dimensions):
    vectors, writer = noisy_writers(count=writers)
    with pytest.raises(HandshiftError, match="discriminant"):
        fit_discriminant(vectors, writer, dimensions, 0.5)


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """Two small untrained networks of sixteen numbers together."""
    folder = tmp_path_factory.mktemp("members")
    for seed in (0, 1):
        torch.manual_seed(seed)
        export_embedder(make_backbone("small-resnet", 8, widths=(4, 6, 8)), folder / f"{seed}.onnx")
    return [folder / "0.onnx", folder / "1.onnx"]


def some_discriminant():
    drawn = np.random.default_rng(0).normal(size=(60, 16))
    return fit_discriminant(drawn, np.repeat(["a", "b"], 30), dimensions=4, shrinkage=0.5)


def of_columns(*counts):
    """(words, 64, 240) crops with ink in so many columns."""
    crops = np.zeros((len(counts), HEIGHT, WIDTH), np.uint8)
    for crop, count in zip(crops, counts, strict=True):
        crop[20:40, (WIDTH - count) // 2 : (WIDTH - count) // 2 + count] = 200
    return crops


def test_a_joined_file_turns_the_members_vectors_side_by_side(members, tmp_path):
    found = fit_discriminant(
        np.random.default_rng(0).normal(size=(60, 16)), np.repeat(["a", "b"], 30), 4, 0.5
    )
    write_joined(members, found, tmp_path / "joined.onnx")
    crops = of_columns(100, 150, 200)
    x = np.concatenate([Embedder(member, 1).embed_crops(crops) for member in members], axis=1)
    wanted = (x - found.mean) @ found.axes
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.allclose(Embedder(tmp_path / "joined.onnx", 1).embed_crops(crops), wanted, atol=1e-4)


def test_a_short_word_has_less_to_say_than_a_long_one(members, tmp_path):
    found = fit_discriminant(
        np.random.default_rng(0).normal(size=(60, 16)), np.repeat(["a", "b"], 30), 4, 0.5
    )
    write_joined(members, found, tmp_path / "joined.onnx")
    vectors = Embedder(tmp_path / "joined.onnx", 1).embed_crops(of_columns(0, 20, 80, 160))
    assert np.allclose(np.linalg.norm(vectors, axis=1), [0.0, 0.5, 1.0, 1.0], atol=1e-5)


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    folder = tmp_path_factory.mktemp("joining")
    drawn = draw_identities(folder / "shapes", identities=8, each=6)
    size = ["--cut", "picture", "--widths", "4,6,8", "--dimensions", "8", "--batch", "8", "--steps", "2"]
    out = folder / "run"
    result = CliRunner().invoke(
        app, ["embed", "--data", str(drawn), "--out", str(out), *size, "--threads", "1"]
    )
    assert result.exit_code == 0, result.output
    return out


def join(training, out, *networks):
    call = ["join", *map(str, networks), "--words", training / "words", "--split", training / "split.json"]
    return CliRunner().invoke(
        app, [*map(str, call), "--out", str(out), "--dimensions", "6", "--threads", "1"]
    )


def test_the_command_writes_one_network_and_tells_what_it_is_made_of(training, members, tmp_path):
    result = join(training, tmp_path, training / "words.onnx", members[0])
    assert result.exit_code == 0, result.output
    assert "2 network(s) in 6 dimensions" in result.output
    vectors = Embedder(tmp_path / "words.onnx", 1).embed_crops(np.zeros((2, HEIGHT, WIDTH), np.uint8))
    assert vectors.shape == (2, 6)
    message = json.loads((tmp_path / "joined.json").read_text())["members"]
    assert [member["network"] for member in message] == ["run/words.onnx", f"{members[0].parent.name}/0.onnx"]
    assert message[0]["recipe"]["steps"] == 2 and message[1]["recipe"] is None


def test_a_network_that_is_not_there_is_named(training, tmp_path):
    result = join(training, tmp_path, tmp_path / "lost.onnx")
    assert isinstance(result.exception, HandshiftError) and "lost.onnx: no such file" in str(result.exception)
