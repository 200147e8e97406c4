"""From a folder of pages to a verdict with one's own model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import handshift
from handshift.cli import app
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE
from handshift.error import HandshiftError
from handshift.evidence.calibrating import calibrate

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
    out = run("train", "embed", *given, "--out", runs, "--steps", 3, "--batch", 8, "--threads", 1)
    assert "best at step 3" in out and "chance AUC 0.5" in out
    model = tmp_path / "mine"
    run("calibrate", *given, "--network", runs / "words.onnx", "--words", runs / "words", "--out", model)
    verdict = handshift.examine(folder / "s1" / "1.png", model=str(model))
    assert verdict.model == "mine"
    assert verdict.bounds[0] <= verdict.log10_lr <= verdict.bounds[1]
    assert "One person wrote all words" in repr(verdict) and "10 calibration writers" in repr(verdict)


def test_calibration_with_three_writers_is_refused():
    with pytest.raises(HandshiftError, match="at least 10 writers, got 3"):
        calibrate(None, np.zeros((1, 2)), ["a", "b", "c"], model="m", population="p", seed=1)
