"""Several trainings become one network that tells writers apart at least as well."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from drawn_shapes import draw_identities
from typer.testing import CliRunner

from handshift.cli.train import app
from handshift.embed.backbones import make_backbone
from handshift.embed.crop import HEIGHT, WIDTH
from handshift.embed.embedder import Embedder
from handshift.embed.joining.discriminant import fit_discriminant
from handshift.embed.joining.joined import Joined, SideBySide
from handshift.error import HandshiftError


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


@pytest.mark.parametrize(("writers", "dimensions"), [(1, 2), (3, 7)])
def test_a_discriminant_without_ground_is_refused(writers, dimensions):
    vectors, writer = noisy_writers(count=writers)
    with pytest.raises(HandshiftError, match="discriminant"):
        fit_discriminant(vectors, writer, dimensions, 0.5)


def test_the_joined_network_projects_the_members_rows():
    torch.manual_seed(0)
    members = [make_backbone("small-resnet", 8, widths=(4, 6, 8)).eval() for _ in range(2)]
    together = SideBySide(members).eval()
    pictures = torch.rand(5, 1, HEIGHT, WIDTH)
    with torch.no_grad():
        row = together(pictures).double().numpy()
        assert np.allclose(row[:, :8] * np.sqrt(2), members[0](pictures).numpy(), atol=1e-6)
        drawn = np.random.default_rng(0).normal(size=(60, 16))
        found = fit_discriminant(drawn, np.repeat(["a", "b"], 30), 4, 0.5)
        vectors = Joined(together, found).eval()(pictures).numpy()
    wanted = (row - found.mean) @ found.axes
    assert np.allclose(vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-5)


def test_a_short_word_has_less_to_say_than_a_long_one():
    torch.manual_seed(0)
    together = SideBySide([make_backbone("small-resnet", 8, widths=(4, 6, 8)).eval() for _ in range(2)])
    drawn = np.random.default_rng(0).normal(size=(60, 16))
    joined = Joined(together, fit_discriminant(drawn, np.repeat(["a", "b"], 30), 4, 0.5)).eval()
    pictures = torch.zeros(4, 1, HEIGHT, WIDTH)
    for word, columns in zip(pictures, (0, 20, 80, 160), strict=True):
        word[0, 20:40, 40 : 40 + columns] = 1.0
    with torch.no_grad():
        lengths = joined(pictures).norm(dim=1).numpy()
    assert np.allclose(lengths, [0.0, 0.5, 1.0, 1.0], atol=1e-5)


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("joining")
    drawn = draw_identities(folder / "shapes", identities=8, each=6)
    size = ["--cut", "picture", "--widths", "4,6,8", "--dimensions", "8", "--batch", "8", "--steps", "2"]
    for seed in (1, 2):
        out = folder / f"run-{seed}"
        call = ["embed", "--data", str(drawn), "--out", str(out), *size, "--seed", str(seed)]
        split = [] if seed == 1 else ["--split", str(folder / "run-1" / "split.json")]
        result = CliRunner().invoke(app, [*call, *split, "--threads", "1"])
        assert result.exit_code == 0, result.output
    return folder


def test_the_command_writes_one_network_and_tells_what_it_is_made_of(trainings):
    runs = [str(trainings / f"run-{seed}") for seed in (1, 2)]
    out = trainings / "joined"
    result = CliRunner().invoke(
        app, ["join", *runs, "--out", str(out), "--dimensions", "6", "--threads", "1"]
    )
    assert result.exit_code == 0, result.output
    assert "2 networks in 6 dimensions" in result.output
    vectors = Embedder(out / "words.onnx", 1).embed_crops(np.zeros((2, HEIGHT, WIDTH), np.uint8))
    assert vectors.shape == (2, 6)
    assert [member["folder"] for member in json.loads((out / "joined.json").read_text())["members"]] == [
        "run-1",
        "run-2",
    ]


def test_one_training_cannot_be_joined(trainings):
    result = CliRunner().invoke(app, ["join", str(trainings / "run-1"), "--out", str(trainings / "x")])
    assert isinstance(result.exception, HandshiftError) and "two trainings" in str(result.exception)
