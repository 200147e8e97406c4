"""From a folder of pages to a verdict with one's own model."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import numpy as np
import pytest
from drawn_shapes import draw_identities
from typer.testing import CliRunner

import handshift
from handshift.calibration.calibrate_pages import calibrate
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.page_calibration import PageCalibration
from handshift.cli import app
from handshift.core.errors import HandshiftError
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE

TEXT = " ".join(ENGLISH_NOTE.split()[:24])
SHEET = Layout(height_mm=90)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Sixteen scribes, two sessions each, on small sheets."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = ["path,writer,session,prompt"]
    for number in range(16):
        for session in (1, 2):
            path = folder / f"s{number}" / f"{session}.png"
            path.parent.mkdir(exist_ok=True)
            scribe = Scribe(number).in_session(session)
            save_page(draw_page([Passage(scribe, TEXT)], seed=session, layout=SHEET), path)
            rows.append(f"s{number}/{session}.png,s{number},{session},note")
    (folder / "manifest.csv").write_text("\n".join(rows) + "\n")
    parts = {
        "train": [f"s{k}" for k in range(4)],
        "validation": ["s4", "s5"],
        "calibration": [f"s{k}" for k in range(6, 16)],
        "test": [],
    }
    split = folder / "split.json"
    split.write_text(json.dumps({"corpus": "notes", "seed": 1, "parts": parts}))
    return folder, split


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_model_is_trained_calibrated_and_used(corpus, tmp_path):
    folder, split = corpus
    runs = tmp_path / "runs"
    given = ["--data", folder, "--split", split]
    small = ["--widths", "8,16,32", "--dimensions", 16, "--steps", 3, "--batch", 8, "--threads", 1]
    out = run("train", "embed", *given, "--out", runs, *small)
    assert "best at step 3" in out and "chance AUC 0.5" in out
    model = tmp_path / "mine"
    words = ["--network", runs / "words.onnx", "--words", runs / "words"]
    run("calibrate", *given, *words, "--out", model, "--documents", 300)
    verdict = handshift.examine(folder / "s1" / "1.png", model=str(model))
    assert verdict.model == "mine"
    assert verdict.bounds[0] <= verdict.log10_lr <= verdict.bounds[1]
    assert "One person wrote all words" in repr(verdict) and "10 calibration writers" in repr(verdict)
    sizes = PageCalibration.load(model / "context.json").sizes
    assert [size.words for size in sizes[:2]] == [4, 8], "fewer than 14 words have calibrations of their own"


def test_calibration_with_three_writers_is_refused():
    with pytest.raises(HandshiftError, match="at least 10 writers, got 3"):
        calibrate(CalibrationData(cast(Any, None), np.zeros((1, 2)), ["a", "b", "c"], "m", "p"))


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    """Polygons: nothing that a pen wrote, no sessions, no prompts, no split."""
    return draw_identities(tmp_path_factory.mktemp("shapes"), identities=24, each=10)


TINY = ("--widths", "8,16,32", "--dimensions", 32, "--batch", 32, "--threads", 1, "--kindred", 0)


def test_any_pictures_are_separated_without_a_split(shapes, tmp_path):
    given = ["train", "embed", "--data", shapes, "--cut", "picture", "--out", tmp_path, *TINY]
    given += ["--steps", 40, "--evaluate-every", 20, "--half", "--int8"]
    message = run(*given)
    auc = float(re.search(r"auc (0\.\d+)", message)[1])
    assert auc > 0.7, "on identities that were not trained on, where chance gives 0.5"
    parts = json.loads((tmp_path / "split.json").read_text())["parts"]
    assert len(parts["train"]) == 14 and len(parts["validation"]) >= 2
    for kind in ("half", "int8"):
        assert (tmp_path / f"words-{kind}.onnx").exists() and f"words-{kind}.onnx: " in message
    assert "AUC 0." in message and "least cosine" in message
    stamp = (tmp_path / "words" / "crops.npy").stat().st_mtime_ns
    assert f"auc {auc:.3f}" in run(*given), "a finished training is only message again"
    assert (tmp_path / "words" / "crops.npy").stat().st_mtime_ns == stamp


def test_a_loss_on_pairs_learns_too(shapes, tmp_path):
    given = ["--data", shapes, "--cut", "picture", "--out", tmp_path, *TINY, "--steps", 40]
    message = run("train", "embed", *given, "--loss", "triplet", "--miner", "hard", "--words-each", 4)
    assert float(re.search(r"auc (0\.\d+)", message)[1]) > 0.65


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--cut", "leaf"], "choose page, word or picture"),
        (["--preset", "sauce"], "shipped, source"),
        (["--loss-options", "m1"], "name=value"),
        (["--accelerator", "abacus"], "cpu, cuda, mps"),
        (["--steps", 5, "--epochs", 2], "steps"),
        (["--learning-rate", -1], "rate"),
        (["--widths", "4,8"], "small-resnet takes 3 or 4 numbers, and 2 were given"),
        (["--margin", "arcade"], "There is no margin 'arcade'"),
        (["--head", "sub-center", "--loss-options", "head.pooling=mean"], "There is no pooling 'mean'"),
        (["--loss-options", "margin.margin=0.3,head.centres=3"], "one --loss-options for each"),
        (["--margin-size", "0.3", "--loss-options", "margin.scale=large"], "scale should be a number"),
    ],
)
def test_an_option_that_cannot_be_is_refused_before_any_work(shapes, tmp_path, given, message):
    words = ["train", "embed", "--data", shapes, "--out", tmp_path / "out", *given]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert isinstance(result.exception, HandshiftError) and message in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_three_identities_are_too_few_to_train_and_evaluate(tmp_path):
    few = draw_identities(tmp_path / "few", identities=3, each=2)
    words = ["train", "embed", "--data", str(few), "--cut", "picture", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, HandshiftError) and "3 writer(s)" in str(result.exception)
