"""A trained network can be asked what it takes a hand to be."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from handshift.cli import app
from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.downscale import downscaled
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.inversion.drawing import Drawing, Prior
from handshift.embedding.inversion.inverted_pictures import invert_vector, invert_writer
from handshift.embedding.inversion.pen import Pen
from handshift.embedding.inversion.search import BatchNormPrior, Search, channel_dropout, jitter
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.load import SHRINK, load_training, save_writers
from handshift.embedding.train.recipe import Recipe, identity_of, training_config
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import fit

TRAIN, HELD_OUT = tuple(f"w{k}" for k in range(6)), ("w6", "w7")
RECIPE = Recipe(
    widths=(6, 8, 12), dimensions=12, batch=24, steps=60, evaluate_every=60, window=48, kindred=0, rate=1e-2
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A training on eight hands that write rows of slanted strokes, each with its own slant and spacing."""
    rng = np.random.default_rng(0)
    crops, writers = np.zeros((8 * 12, HEIGHT, WIDTH), np.uint8), []
    for row, crop in enumerate(crops):
        hand = row // 12
        slant, gap = -0.9 + 0.25 * hand, 8 + 4 * (hand % 3)
        for x in range(80, 160, gap):
            low = (x + int(rng.integers(-2, 3)), 44)
            cv2.line(crop, low, (int(low[0] + 24 * slant), 20), 255, 2, cv2.LINE_AA)
        writers.append(f"w{hand}")
    pages = np.arange(len(crops)).astype(str)
    words = WordCollection(crops, pages, np.array(writers), np.arange(len(crops)) % 2, pages)
    place = tmp_path_factory.mktemp("model")
    task = WriterTask(downscaled(words, 2), TRAIN, HELD_OUT, RECIPE)
    known = {**identity_of(RECIPE), SHRINK: 2}
    fit(task, training_config(RECIPE), place / "training", identity=known, progress_bar=False)
    save_writers(place / "training", TRAIN)
    return place


def test_a_training_folder_gives_its_network_centres_names_and_canvas(folder):
    trained = load_training(folder)
    assert trained.writers == TRAIN and trained.canvas == (32, 48) and trained.recipe == RECIPE
    assert trained.head.directions().shape == (6, 12)
    assert trained.class_of("w3") == 3
    assert load_training(folder / "training").writers == TRAIN
    with pytest.raises(HandshiftError, match="no writer 'Anna': it has 6"):
        trained.class_of("Anna")
    with pytest.raises(HandshiftError, match="no writer '3'"):
        trained.class_of("3")  # not the writer whose class has that number


def test_a_folder_that_is_no_training_is_refused(tmp_path):
    with pytest.raises(HandshiftError, match="no training"):
        load_training(tmp_path)


def test_a_split_with_another_number_of_writers_is_refused(folder, tmp_path):
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"corpus": "c", "seed": 1, "parts": {"train": ["a", "b"]}}))
    with pytest.raises(HandshiftError, match=r"2 writers to train on, and the model in .* has 6"):
        load_training(folder, split)


def test_the_prior_is_nothing_for_what_was_seen_and_much_for_noise():
    torch.manual_seed(0)
    network = make_backbone("small-resnet", 8, widths=(4, 6, 8))
    seen = torch.rand(16, 1, 32, 48) ** 4
    for layer in network.modules():
        if isinstance(layer, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
            layer.momentum = 1.0  # remember the last batch alone
    vars(network.dropout)["p"] = 0.0
    network.train()(seen)
    network.eval()
    with BatchNormPrior(network) as distance, torch.no_grad():
        network(seen)
        near = float(distance())
        network(1 - seen)
        far = float(distance())
    assert near < 0.05 < 1 < far
    network(seen)
    assert float(distance()) == 0, "outside the context nothing is observed"


def test_the_papers_prior_is_the_sum_of_squared_differences_of_means_and_variances():
    layer = torch.nn.BatchNorm2d(2).eval()
    layer.running_mean[:], layer.running_var[:] = torch.tensor([1.0, -2.0]), torch.tensor([4.0, 0.5])
    pictures = torch.randn(5, 2, 3, 3)
    with BatchNormPrior(layer, Prior.PAPER) as distance:
        layer(pictures)
        found = float(distance())
    mean, variance = pictures.mean(dim=(0, 2, 3)), pictures.var(dim=(0, 2, 3), correction=0)
    expected = (mean - layer.running_mean).square().sum() + (variance - layer.running_var).square().sum()
    assert found == pytest.approx(float(expected), rel=1e-5)


def test_the_command_takes_the_papers_prior_and_another_weight(folder, tmp_path):
    given = ["--writer", "w2", "--images", 1, "--steps", 2, "--threads", 1, "--prior", "paper"]
    for more, weight in (([], 0.05), (["--lambda", 0.2], 0.2)):
        assert run("invert", folder, "--out", tmp_path, *given, *more).exit_code == 0
        found = json.loads((tmp_path / "hand.json").read_text())
        assert (found["prior"], found["lambda"]) == ("paper", weight)


def test_leaving_channels_out_ends_with_its_context(folder):
    trained = load_training(folder)
    pictures = torch.rand(4, 1, 32, 48)
    with torch.no_grad():
        before = trained.network(pictures)
        with channel_dropout(trained.network, 0.3, torch.Generator().manual_seed(0)):
            assert not torch.allclose(trained.network(pictures), before)
        assert torch.equal(trained.network(pictures), before)


def test_the_pen_draws_dark_strokes_on_empty_paper():
    pictures = Pen(6, (64, 96), torch.Generator().manual_seed(0))().detach()
    assert pictures.shape == (6, 1, 64, 96)
    assert pictures.min() >= 0 and pictures.max() <= 1
    assert (pictures.amax(dim=(1, 2, 3)) > 0.9).all(), "each has full ink somewhere"
    assert pictures[:, :, :6].max() < 0.01, "and none at the top"
    assert 0.01 < pictures.mean() < 0.25


def test_every_change_of_a_picture_lets_its_gradient_through():
    pictures = torch.rand(3, 1, 32, 48, requires_grad=True)
    changed = jitter(pictures, torch.Generator().manual_seed(0))
    assert changed.shape == pictures.shape and not torch.allclose(changed, pictures)
    changed.sum().backward()
    assert (pictures.grad.flatten(1).abs().sum(dim=1) > 0).all()


def nearest_of_mean(trained, inverted):
    """Writer whom the mean vector of all pictures lies nearest to: one search may end beside its goal."""
    pictures = torch.from_numpy(inverted.pictures)[:, None] / 255
    with torch.no_grad():
        mean = trained.network(pictures).mean(dim=0)
    return trained.writers[int((trained.head.directions() @ mean).argmax())]


@pytest.mark.parametrize("drawing", list(Drawing))
def test_pictures_of_a_writer_are_taken_for_that_writers(folder, drawing):
    trained = load_training(folder)
    before = invert_writer(trained, 4, 4, Search(drawing, steps=1))
    inverted = invert_writer(trained, 4, 4, Search(drawing, steps=80, views=1, prior=0.1, dropout=0))
    assert inverted.pictures.shape == (4, 32, 48) and inverted.pictures.dtype == np.uint8
    assert inverted.cosines.mean() > before.cosines.mean() + 0.2
    assert nearest_of_mean(trained, inverted) == "w4"


def test_pictures_are_found_for_any_vector(folder):
    trained = load_training(folder)
    vector = trained.head.directions()[1:3].mean(dim=0).numpy()  # between two hands
    before = invert_vector(trained, vector, 4, Search(steps=1))
    inverted = invert_vector(trained, vector, 4, Search(steps=80, views=1, prior=0.1, dropout=0))
    assert inverted.cosines.mean() > before.cosines.mean() + 0.2
    assert nearest_of_mean(trained, inverted) in {"w1", "w2"}


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_writes_a_sheet_and_prints_the_cosine(folder, tmp_path):
    result = run(
        "invert", folder, "--writer", "w2", "--out", tmp_path, "--images", 3, "--steps", 5, "--threads", 1
    )
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "hand.json").read_text())
    assert found["of"] == "w2" and len(found["cosines"]) == 3
    assert (found["prior"], found["lambda"]) == ("standardised", 0.3)
    assert f"mean cosine {found['mean_cosine']:.3f}" in result.output
    assert cv2.imread(str(tmp_path / "hand.png")).shape[0] > 64


def test_the_command_takes_an_embedding(folder, tmp_path):
    np.save(tmp_path / "vector.npy", np.eye(12, dtype=np.float32)[0])
    given = [
        "--embedding",
        tmp_path / "vector.npy",
        "--out",
        tmp_path,
        "--images",
        2,
        "--steps",
        2,
        "--threads",
        1,
    ]
    assert run("invert", folder, *given).exit_code == 0
    assert json.loads((tmp_path / "hand.json").read_text())["of"].endswith("vector.npy")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.zeros(12, np.float32), "not all zero"),
        (np.ones(5, np.float32), "12 finite numbers"),
        (np.array([{"a": 1}], dtype=object), "not an .npy file of numbers"),
        (np.arange(12), "floating-point"),
    ],
    ids=["zeros", "short", "pickle", "integers"],
)
def test_an_embedding_that_is_none_is_refused(folder, tmp_path, content, message):
    np.save(tmp_path / "vector.npy", content)
    result = run("invert", folder, "--embedding", tmp_path / "vector.npy", "--out", tmp_path / "out")
    assert isinstance(result.exception, HandshiftError) and message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_either_a_writer_or_an_embedding_is_wanted(folder, tmp_path):
    result = run("invert", folder, "--out", tmp_path)
    assert isinstance(result.exception, HandshiftError) and "--writer or --embedding" in str(result.exception)
