"""Pictures filed under the wrong identity are found, listed, shown and left out."""

from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pytest
from drawn_shapes import draw_identities
from typer.testing import CliRunner

from handshift.cli import app
from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.embedding.cleaning.angles import centre_angles
from handshift.embedding.cleaning.label_noise import exchange_labels
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.train.load import load_training

LIMIT = 30  # degrees; a tiny network keeps its few shapes close together
TINY = (
    "--widths",
    "8,16,32",
    "--dimensions",
    32,
    "--batch",
    32,
    "--threads",
    1,
    "--kindred",
    0,
    "--learning-rate",
    6e-3,
)


def unit(*rows):
    stacked = np.array(rows, np.float32)
    return stacked / np.linalg.norm(stacked, axis=-1, keepdims=True)


def test_angles_are_measured_to_where_most_of_a_writers_pictures_are():
    axes = np.concatenate([np.eye(3), -np.eye(3)]).astype(np.float32)  # their mean is zero
    centres = np.stack([axes[[0, 2]], axes[[1, 5]], axes[[3, 4]]])  # (3 classes, 2 centres, 3)
    vectors = np.concatenate([axes, axes])  # x, y, z, −x, −y, −z, twice
    labels = np.array([0, 1, 0, 2, 1, 1, 0, 1, 2, 2, 2, 2])
    found = centre_angles(vectors, labels, centres)
    assert found.angle[0] < 1 and found.learnt_angle[0] < 1
    assert found.angle[2] > 89 and found.learnt_angle[2] > 89, "it sits on the lesser centre of its class"
    assert (found.nearest != labels).all()


def test_a_direction_that_all_pictures_share_does_not_count():
    rng = np.random.default_rng(0)
    centres = unit(*rng.normal(size=(4, 2, 16)))
    labels = rng.integers(4, size=400)
    noise = rng.normal(size=(400, 16))
    vectors = unit(*(20 * np.eye(16)[0] + 3 * centres[labels, 0] + 0.2 * noise))
    wrong = np.arange(400) < 40
    labels[wrong] = (labels[wrong] + 1) % 4
    found = centre_angles(vectors, labels, centres)
    assert found.angle[wrong].min() > found.angle[~wrong].max() + 20


def words_of_writers(count: int, each: int) -> WordCollection:
    writer = np.repeat([f"w{k}" for k in range(count)], each)
    session = np.tile(np.arange(each) % 3, count)
    pages = np.arange(writer.size).astype(str)
    return WordCollection(np.zeros((writer.size, 8, 24), np.uint8), pages, writer, session, pages)


def test_flipping_changes_the_wanted_share_and_nobodys_number_of_words():
    words = words_of_writers(10, 40)
    rows = words.rows_of([f"w{k}" for k in range(8)])
    noisy, wrong = exchange_labels(words, rows, 0.3, seed=1)
    assert wrong.sum() == round(0.3 * rows.size)
    assert np.array_equal(noisy.writer != words.writer, wrong), "each chosen word has another writer"
    for before, after in ((words.writer, noisy.writer), (words.session, noisy.session)):
        assert np.array_equal(np.sort(before), np.sort(after))
    assert not wrong[words.rows_of(["w8", "w9"])].any(), "writers to be examined on are left alone"


def test_labels_of_one_writer_alone_cannot_be_exchanged():
    words = words_of_writers(1, 20)
    with pytest.raises(HandshiftError, match="by one writer"):
        exchange_labels(words, np.arange(20), 0.5, seed=1)


@pytest.fixture(scope="module")
def misfiled(tmp_path_factory):
    """Shapes of sixteen identities; three copies of each of the first eight lie in another's folder."""
    folder = draw_identities(tmp_path_factory.mktemp("misfiled"), identities=16, each=14)
    wrong = set()
    for number in range(8):
        for copy in range(3):
            target = folder / f"id{(number + 3) % 16:02}" / f"stray-{number}-{copy}.png"
            shutil.move(folder / f"id{number:02}" / f"{copy}.png", target)
            wrong.add(target.relative_to(folder).as_posix())
    parts = {"train": [f"id{k:02}" for k in range(12)], "validation": [f"id{k:02}" for k in range(12, 16)]}
    split = folder / "split.json"
    split.write_text(json.dumps({"corpus": "shapes", "seed": 1, "parts": parts}))
    return folder, split, wrong


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.output


@pytest.fixture(scope="module")
def cleaned(misfiled, tmp_path_factory):
    folder, split, _ = misfiled
    out = tmp_path_factory.mktemp("out")
    given = ["clean", folder, "--split", split, "--cut", "picture", "--out", out, *TINY]
    given += ["--steps", 60, "--evaluate-every", 60, "--angle", LIMIT]
    return out, given, run(*given)


def test_what_lies_furthest_is_what_was_misfiled(cleaned, misfiled):
    out, _, _ = cleaned
    with (out / "first" / "angles.csv").open() as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: -float(row["angle"]))
    _, _, wrong = misfiled
    found = sum(row["path"] in wrong for row in rows[: len(wrong)]) / len(wrong)
    assert found > 2 * len(wrong) / len(rows), "twice as many as dropping at random would find"


def test_the_findings_agree_with_each_other(cleaned, misfiled):
    out, _, message = cleaned
    folder, _, _ = misfiled
    summary = json.loads((out / "cleaning.json").read_text())
    with (out / "mislabelled.csv").open() as lines:
        listed = list(csv.DictReader(lines))
    angles = [float(row["angle"]) for row in listed]
    assert summary["dropped"] == len(listed) > 0 and angles == sorted(angles, reverse=True)
    assert min(angles) > LIMIT
    assert all(row["nearest_other"] != row["writer"] for row in listed)
    assert (out / "mislabelled.html").read_text().count("<tr><td>") == min(300, len(listed))
    shutil.copy(out / "kept.csv", folder / "kept.csv")
    kept = read_corpus(folder / "kept.csv")
    everything = len(list(folder.glob("*/*.png")))
    assert len(kept.samples) == everything - len(listed), "one file is one picture here"
    assert f"{len(listed)} of {summary['judged']} pictures" in message


def test_the_second_training_is_without_what_was_dropped(cleaned):
    out, _, message = cleaned
    assert "words.onnx: best at step" in message and (out / "words.onnx").exists()
    assert json.loads((out / "training" / "training.json").read_text())["head"] == "plain"
    first, second = load_training(out / "first"), load_training(out)
    assert first.head.directions().shape == (12, 3, 32)
    assert second.writers == first.writers == tuple(f"id{k:02}" for k in range(12))


def test_the_same_call_again_only_reports_the_result(cleaned):
    out, given, message = cleaned
    stamps = {path: path.stat().st_mtime_ns for path in out.glob("*/*.safetensors")}
    assert run(*given).splitlines()[-1] == message.splitlines()[-1]
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())


def test_another_angle_reuses_the_first_training(cleaned):
    _, given, _ = cleaned
    message = run(*given, "--angle", 180, "--no-retrain")
    assert message.startswith("0 of ")
    run(*given, "--no-retrain")


def test_three_centres_may_be_asked_for_by_number(cleaned):
    _, given, message = cleaned
    assert run(*given, "--centres", 3).splitlines()[-1] == message.splitlines()[-1], "three are the default"


def test_pictures_are_dropped_by_the_learnt_centre_as_in_the_paper(cleaned):
    out, given, _ = cleaned
    with (out / "first" / "angles.csv").open() as lines:
        far = sum(float(row["learnt_angle"]) > 60 for row in csv.DictReader(lines))
    assert run(*given, "--angle", 60, "--by", "learnt", "--no-retrain").startswith(f"{far} of ") and far
    with (out / "mislabelled.csv").open() as lines:
        assert all(row["angle"] == row["learnt_angle"] for row in csv.DictReader(lines))
    run(*given, "--no-retrain")


def test_a_loss_without_centres_cannot_clean(misfiled, tmp_path):
    folder, split, _ = misfiled
    words = ["clean", folder, "--split", split, "--cut", "picture", "--out", tmp_path, "--loss", "triplet"]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert isinstance(result.exception, HandshiftError) and "class centres" in str(result.exception)
    assert not list(tmp_path.iterdir()), "refused before the corpus is cut"
