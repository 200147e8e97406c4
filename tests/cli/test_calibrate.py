"""`handshift calibrate` makes a model that examines, verifies and identifies."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import handshift
from handshift.bag.bagset import BagSet
from handshift.calibration import calibrate_pages
from handshift.cli import app
from handshift.core.errors import HandshiftError
from handshift.core.model_card import ModelCard
from handshift.corpus.split import WriterSplit
from handshift.detect.export_detector import export_detector
from handshift.detect.mil import MODELS
from handshift.detect.score_bags import BagScores, score_bags
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_vectors import file_sha256
from handshift.models.describe_model import CalibratedParts, card_of
from handshift.models.shipped_models import ShippedModel, find_model

WRITERS, WORDS, DIMENSIONS = 12, 32, 16


def corpus(folder: Path, a_page: int = 8) -> None:
    """Twelve writers who slant their strokes differently; their 32 words are cut already."""
    rng = np.random.default_rng(0)
    crops, rows = [], []
    with (folder / "manifest.csv").open("w", newline="") as file:
        manifest = csv.writer(file)
        manifest.writerow(("path", "writer", "session", "prompt"))
        for writer in range(WRITERS):
            for page in range(WORDS // a_page):
                session = page * a_page // (WORDS // 2)
                name, facts = f"{writer}-{page}.png", (f"w{writer}", session, f"t{page % 2}")
                (folder / name).write_bytes(b"cut already")
                manifest.writerow((name, *facts))
                rows += [(name, *facts)] * a_page
                crops += [_word(writer / WRITERS * 3 - 1.5, rng) for _ in range(a_page)]
    np.save(folder / "crops.npy", np.array(crops))
    with (folder / "words.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("page", "writer", "session", "prompt"), *rows])
    parts = {"train": [], "validation": [], "test": [], "calibration": [f"w{k}" for k in range(WRITERS)]}
    (folder / "split.json").write_text(json.dumps({"corpus": "c", "seed": 1, "parts": parts}))


def _word(slant: float, rng: np.random.Generator) -> np.ndarray:
    crop = np.zeros((HEIGHT, WIDTH), np.uint8)
    for x in WIDTH // 2 + rng.integers(-35, 35, size=5):
        reach = int(20 * (slant + rng.normal(0, 0.3)))
        cv2.line(crop, (int(x) - reach, 50), (int(x) + reach, 14), 255, 3, cv2.LINE_AA)
    return crop


QUICK = ("--documents", 300)
"""A fortieth of the composed documents: the fit is coarse, the files are the same."""


def calibrated(network: Path, folder: Path, out: Path, *more: object) -> ShippedModel:
    given = [
        *("calibrate", "--network", network, "--data", folder, "--words", folder, "--out", out, *QUICK),
        *("--split", folder / "split.json", "--population", "Slanted lines.", *more),
    ]
    done = CliRunner().invoke(app, [str(word) for word in given])
    assert done.exit_code == 0, done.output if done.exception is None else repr(done.exception)
    return find_model(str(out))


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus, its words, its split and a detector."""
    folder = tmp_path_factory.mktemp("lines")
    corpus(folder)
    torch.manual_seed(0)
    export_detector(MODELS["relation-net"](DIMENSIONS), DIMENSIONS, folder / "detector.onnx")
    return folder


@pytest.fixture(scope="module")
def model(network: Path, lines: Path, tmp_path_factory: pytest.TempPathFactory) -> ShippedModel:
    """Calibrated by the command, once for all tests that look at it."""
    return calibrated(network, lines, tmp_path_factory.mktemp("models") / "mine", "--detector", lines)


def test_a_calibrated_model_can_compare(model):
    comparison = model.comparison()
    assert comparison.propositions.population == "Slanted lines." and comparison.model == "mine"
    assert comparison.propositions.one_writer == "One person wrote both, on two days."
    assert [size.words for size in comparison.sizes] == [1, 3, 8]  # pages have eight words, so none has ten
    assert comparison.sizes[-1].calibration.highest > 1


def test_a_calibrated_model_weighs_the_detectors_it_was_given(model):
    assert list(model.detector(1).parts) == ["partition", "leave-one-out", "relation-net"]
    assert "leave-one-out evidence and relation-net" in model.card.summary
    assert "300 documents of each size" in model.card.calibrated_on
    assert model.context().sizes[-1].words == 8


def test_few_words_that_carry_nothing_are_withheld_and_the_rest_is_calibrated(
    network: Path, lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def falling(detector: Any, vectors: Any, bags: BagSet) -> BagScores:
        scored = score_bags(detector, vectors, bags)
        return replace(scored, score=np.where(bags.sizes == 4, -scored.score, scored.score))

    shutil.copytree(lines, tmp_path / "mine" / "words")
    monkeypatch.setattr(calibrate_pages, "score_bags", falling)
    made = handshift.calibrate(network, lines, lines / "split.json", tmp_path / "mine", documents=300)
    assert any("about 4 words carry nothing" in warning for warning in made.warnings)
    context = find_model(str(made.folder)).context()
    assert context.withheld == (4.0,) and context.sizes[-1].words == 8
    few, whole = context.page_lr(9.0, 4), context.page_lr(9.0, 8)
    assert (few.log10_lr, few.bounds, few.interval) == (0.0, (0.0, 0.0), (0.0, 0.0))
    assert whole.log10_lr > 0.5 and whole.bounds == made.page_bounds


def embedded(lines: Path, network: Path, folder: Path) -> None:
    """The words of the corpus as `corpus embed` would leave them."""
    for name in ("words.csv", "split.json"):
        shutil.copy(lines / name, folder / name)
    np.save(folder / "vectors.npy", Embedder(network, 1).embed_crops(np.load(lines / "crops.npy")))
    (folder / "vectors.json").write_text(json.dumps({"network": file_sha256(network)}))


def test_the_comparison_alone_is_fitted_to_databases_embedded_before(run, model, lines, tmp_path):
    embedded(lines, model.folder / "words.onnx", tmp_path)
    shutil.copytree(model.folder, tmp_path / "mine")
    before = {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()}
    (tmp_path / "mine" / "comparison.json").write_text("old")
    given = ("calibrate", "--model", model.folder, "--comparison-only", "--out", tmp_path / "mine")
    assert run(*given).code == 2  # vectors are needed
    done = run(*given, "--vectors", tmp_path)
    assert done.code == 0 and "pages log10 LR" in done.out and "comparisons log10 LR" in done.out
    assert {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()} == before


def test_the_pages_alone_are_fitted_with_other_detectors(run, model, lines, tmp_path):
    embedded(lines, model.folder / "words.onnx", tmp_path)
    shutil.copytree(model.folder, tmp_path / "mine")
    torch.manual_seed(1)
    (tmp_path / "other").mkdir()
    export_detector(MODELS["mean-pool"](DIMENSIONS), DIMENSIONS, tmp_path / "other" / "detector.onnx")
    given = ("calibrate", "--model", tmp_path / "mine", "--pages-only", "--out", tmp_path / "mine")
    assert run(*given).code == 2  # vectors are needed
    again = run(*given, "--vectors", tmp_path, "--documents", 300)
    assert again.code == 0, again.out
    assert list(find_model(str(tmp_path / "mine")).detector(1).parts) == list(model.detector(1).parts)
    done = run(*given, "--vectors", tmp_path, "--detector", tmp_path / "other", "--documents", 300)
    assert done.code == 0, done.out
    changed = find_model(str(tmp_path / "mine"))
    assert list(changed.detector(1).parts) == ["partition", "leave-one-out", "mean-pool"]
    assert changed.context().propositions == model.context().propositions
    assert changed.comparison().sizes == model.comparison().sizes
    assert changed.hands() == model.hands()
    assert (changed.folder / "covariances.npz").read_bytes() == (
        model.folder / "covariances.npz"
    ).read_bytes()


def test_files_of_one_picture_each_calibrate_comparisons_alone(network, tmp_path, monkeypatch):
    corpus(tmp_path, a_page=1)
    used, begin = [], Embedder.__init__

    def embedder(self, path, threads=2):
        used.append(threads)
        begin(self, path, threads)

    monkeypatch.setattr(Embedder, "__init__", embedder)
    model = calibrated(network, tmp_path, tmp_path / "mine", "--threads", 3)
    assert used == [3]
    assert model.comparison().propositions.one_writer == "Both show one and the same."
    assert [size.words for size in model.comparison().sizes] == [1, 3, 8]
    assert not (model.folder / "context.json").exists()
    assert "documents" not in model.card.calibrated_on
    with pytest.raises(HandshiftError, match="so it cannot examine pages"):
        model.detector(threads=1)


def described(folder: Path, parts: dict[str, list[str]], **fitted: Any) -> ModelCard:
    """The card of a model calibrated on some of the twelve writers."""
    corpus(folder)
    (folder / "split.json").write_text(json.dumps({"corpus": "c", "seed": 1, "parts": parts}))
    (folder / "words.onnx").write_bytes(b"network")
    facts = replace(CalibratedParts(pages=True, pairs=True, spliced=True), **fitted)
    return card_of("mine", folder / "words.onnx", "c", WriterSplit.load(folder / "split.json"), facts)


def test_a_card_says_what_is_true_of_this_model(tmp_path):
    card = described(tmp_path, {"train": ["w0", "w1"], "calibration": ["w2", "w3", "w4"]}, spliced=False)
    assert card.calibrated_on.startswith("3 writers not trained on: PLDA on all of them")
    assert "spliced" not in card.calibrated_on
    assert card.tested_on.startswith("Not tested") and "once" not in card.tested_on
    assert card.trained_on.startswith("2 writers of") and "if it was trained on" in card.trained_on
    assert "cannot examine pages" in described(tmp_path, {"calibration": ["w2"]}, pages=False).summary
    assert "cannot compare" in described(tmp_path, {"calibration": ["w2"]}, pairs=False).summary


def test_a_card_counts_the_writers_that_the_network_was_trained_on(tmp_path):
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "writers.json").write_text(json.dumps([f"t{k}" for k in range(12)]))
    card = described(tmp_path, {"train": ["w0", "w1"], "calibration": ["w2"]})
    assert card.trained_on.startswith("12 writers as its training recorded them")


def test_a_split_of_three_parts_calibrates_on_its_validation_writers(tmp_path):
    card = described(tmp_path, {"train": ["w0"], "validation": ["w1", "w2"], "test": ["w3"]})
    assert card.calibrated_on.startswith("2 writers not trained on, which also chose")


def test_a_calibration_that_could_do_nothing_is_an_error(run, network, tmp_path):
    """Eight single words of each writer: no pages to examine, and no two sets of one writer to compare."""
    corpus(tmp_path, a_page=1)
    rows = (tmp_path / "words.csv").read_text().splitlines()[1:]
    first = [WORDS * writer + word for writer in range(WRITERS) for word in range(8)]
    np.save(tmp_path / "crops.npy", np.load(tmp_path / "crops.npy")[first])
    lines = ["page,writer,session,prompt", *(rows[k] for k in first)]
    (tmp_path / "words.csv").write_text("\n".join(lines) + "\n")
    done = run(
        *("calibrate", "--network", network, "--data", tmp_path, "--words", tmp_path),
        *("--split", tmp_path / "split.json", "--out", "mine"),
    )
    assert done.code != 0 and "this model could do nothing" in done.err
    assert not Path("mine/card.json").exists()


def test_a_detector_that_is_none_is_refused(run, network, tmp_path):
    corpus(tmp_path)
    done = run(
        *("calibrate", "--network", network, "--data", tmp_path, "--words", tmp_path, "--detector", network),
        *("--split", tmp_path / "split.json", "--out", "mine"),
    )
    assert done.code != 0 and "not a detector" in done.err


def test_a_part_that_is_none_is_said(run, network, tmp_path):
    corpus(tmp_path, a_page=16)
    done = run("validate", "--data", tmp_path, "--split", tmp_path / "split.json", "--part", "exam")
    assert done.code == 3 and "has no part 'exam', only train" in done.err


def test_the_library_calibrates_as_the_command_does(model, network, lines, tmp_path):
    shutil.copytree(lines, tmp_path / "mine" / "words")
    made = handshift.calibrate(
        *(network, lines, lines / "split.json", tmp_path / "mine"),
        detectors=[lines],
        population="Slanted lines.",
        documents=300,
    )
    assert made.folder == tmp_path / "mine" and made.page_bounds and made.pair_bounds
    for name in ("comparison.json", "context.json", "hands.json", "combination.json", "card.json"):
        assert (made.folder / name).read_text("utf-8") == (model.folder / name).read_text("utf-8")


def test_a_model_is_validated_on_known_writers_by_command_and_from_python(run, model, lines):
    done = run(
        *("validate", "--data", lines, "--words", lines, "--model", model.folder, "--out", "checked"),
        *("--documents", 20, "--shared", 5, "--threads", 1),
    )
    assert done.code == 0, done.err
    assert "whole page, 20 %: Cllr" in done.out and "By these criteria usable for: " in done.out
    found = json.loads(Path("checked/validation.json").read_text("utf-8"))
    assert found["writers"] == WRITERS and found["propositions"]["population"] == "Slanted lines."
    costs = found["likelihood_ratios"]["whole page, 20 %"]["against_one_session"]["cllr"]
    assert costs["interval"][0] <= costs["value"] <= costs["interval"][1]
    assert "Not validated for casework" in Path("checked/validation.html").read_text("utf-8")
    shutil.copytree(lines, "library/words")
    validation = handshift.validate(lines, "library", model=str(model.folder), documents=20, shared=5)
    assert validation.found.writers == WRITERS
    assert json.loads(Path("library/validation.json").read_text("utf-8")) == found


def test_few_writers_validate_nothing_and_no_page_of_theirs_is_cut(run, letter):
    for writer in ("ada", "bea", "cleo"):
        Path(f"few/{writer}").mkdir(parents=True)
        shutil.copy(letter, f"few/{writer}/1.png")
    done = run("validate", "--data", "few", "--out", "checked")
    assert done.code == 3 and "at least 10 writers, got 3" in done.err and not Path("checked").exists()


def test_a_training_with_a_wrong_field_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(HandshiftError, match="nonsense"):
        handshift.train(tmp_path / "gone", tmp_path / "out", nonsense=1)
    assert not (tmp_path / "out").exists()
