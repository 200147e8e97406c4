"""`handshift train detect`, from vectors to figures."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from drawn_hands import DIMENSIONS, WORDS, WRITERS, draw, split
from typer.testing import CliRunner

from handshift.bag.bagset import BagSet
from handshift.cli.train import app
from handshift.core.errors import HandshiftError
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.train.bag_task import BagTask, make_model
from handshift.detect.train.held_out_variance import levels, rescale_to_held_out
from handshift.detect.train.recipe import DetectRecipe
from handshift.detect.train.test_report import attention, by_share
from handshift.detect.train.train_detector import DetectRun
from handshift.detect.train.training_bags import bags_for
from handshift.embedding.word_vectors import WordVectors, vectors_by_network
from handshift.metrics import auroc

QUICK = {"steps": 6, "evaluate_every": 3, "held_out": 60, "batch": 16, "words": 10, "rate": 1e-2}


def run_of(folder, out, **changes) -> DetectRun:
    return DetectRun(WordVectors.load(folder), split(), out, DetectRecipe.of({**QUICK, **changes}))


def words_of(run: DetectRun):
    table = run.vectors
    return np.asarray(table.vectors), table.writer, table.session


def test_a_training_leaves_the_detector_its_results_and_its_figures(folder, tmp_path):
    summary = run_of(folder, tmp_path, model="relation-net", steps=30, evaluate_every=10).run(False)
    results = json.loads((tmp_path / "results.json").read_text())
    assert "always mixed" in summary and "false-positive rate" in summary
    assert results["test"]["auc"] > 0.7 and results["export_difference"] < 1e-4
    assert set(results["test"]["false_positive_rate"]) == {"single", "spliced"}
    assert list(results["test"]["shares"]) == ["0.1", "0.2", "0.3", "0.5"]
    assert {"auc_against_single", "auc_against_spliced", "recall", "f1"} <= set(
        results["test"]["shares"]["0.5"]
    )
    assert 0 <= results["attention"]["word_auc"] <= 1 and results["order_aware"] is False
    for name in ("training-curves.png", "attention.png", "training/best.safetensors", "detector.onnx"):
        assert (tmp_path / name).stat().st_size > 0
    assert np.isfinite(NetworkDetector(tmp_path / "detector.onnx").score(np.ones((3, DIMENSIONS))).score)


def test_the_same_call_again_finds_its_work_done_and_another_model_is_refused(folder, tmp_path):
    first = run_of(folder, tmp_path, model="mean-pool").run(False)
    assert run_of(folder, tmp_path, model="mean-pool").run(False) == first
    with pytest.raises(HandshiftError, match="model: there mean-pool, here ds-mil"):
        run_of(folder, tmp_path, model="ds-mil").run(False)


def test_the_source_s_bags_train_its_model_instance_by_instance(folder, tmp_path):
    run = run_of(folder, tmp_path, model="ab-mil", protocol="source")
    model = make_model(run.recipe, *words_of(run))
    assert model.windows.stride == 5 and (model.standard.spread == 1).all()
    assert run.recipe.training().max_lr == 1e-2 and DetectRecipe(protocol="source").training().max_lr == 1e-4
    run.run(False)
    results = json.loads((tmp_path / "results.json").read_text())
    assert list(results["test"]["shares"]) == ["0.05", "0.1", "0.2", "0.3"]
    assert results["test"]["bags"]["mixed"] == 2 * results["test"]["bags"]["single"]


def test_words_are_brought_to_directions_of_even_spread(folder, tmp_path):
    run = run_of(folder, tmp_path, model="ab-mil")
    words = words_of(run)[0]
    seen = make_model(run.recipe, *words_of(run)).standard(torch.from_numpy(3 * words)).numpy()
    assert np.allclose(seen.mean(axis=0), 0, atol=1e-4) and np.allclose(seen.std(axis=0), 1, atol=1e-3)


def test_no_writer_of_a_training_bag_is_in_validation_or_test(folder):
    table = WordVectors.load(folder)
    for fixed in (0, 40):
        bags = bags_for(DetectRecipe.of({**QUICK, "fixed": fixed}), table, split())
        for part, drawn in (
            ("train", bags.train.batch(3)),
            ("validation", bags.natural),
            ("test", bags.test),
        ):
            assert set(table.writer[drawn.rows]) <= set(split().parts[part])


def test_batches_are_half_mixed_and_those_of_one_step_are_always_the_same(folder):
    run = run_of(folder, folder, longer=False)
    bags = bags_for(run.recipe, run.vectors, split())
    task = BagTask(run.recipe, make_model(run.recipe, *words_of(run)), words_of(run)[0], bags)
    words, mask, label = task.batch(5)
    assert words.shape == (16, 10, DIMENSIONS) and mask.all() and label.mean() == 0.5
    assert np.array_equal(words, task.batch(5)[0]) and not np.array_equal(words, task.batch(6)[0])


def test_longer_bags_and_whole_pages_come_in_every_second_step(folder):
    run = run_of(folder, folder)
    bags = bags_for(run.recipe, run.vectors, split())
    assert [bags.train.batch(step).sizes[0] for step in range(4)] == [10, 20, 10, WORDS]
    assert set(bags.balanced.sizes) == {10, WORDS}


def test_the_evidence_net_is_initialised_from_moments(folder, tmp_path):
    run = run_of(folder, tmp_path, model="evidence-net", steps=2, evaluate_every=2)
    detector, rng = run.detector(), np.random.default_rng(1)
    assert detector.name == "evidence-net" and detector.order_aware
    mixed = [draw(rng, 8, 4) for _ in range(40)]
    one = [draw(rng, 12) for _ in range(40)]
    unit = [words / np.linalg.norm(words, axis=1, keepdims=True) for words in one + mixed]
    assert auroc(np.repeat([0, 1], 40), [detector.score(words).score for words in unit]) > 0.9
    assert run.detector().score(unit[0]).score == detector.score(unit[0]).score  # found again, not trained


def test_results_by_share_are_counted_by_hand():
    single, spliced, mixed = ["single"] * 4, ["spliced"] * 4, ["mixed"] * 4
    label = np.repeat([False, False, True], 4)
    share = np.array([0.0] * 8 + [0.1, 0.1, 0.5, 0.5])
    foreign = np.tile([False, True], 12)
    bags = BagSet(
        np.arange(24), np.arange(0, 25, 2), foreign, label, ["w"] * 12, single + spliced + mixed, share=share
    )
    scores = np.array([0, 0, 0, 1.0, 0, 0, 1, 1, 0.5, 3, 3, 3])
    results = by_share(bags, scores, 2.0)
    assert results["recall"] == 0.75 and results["shares"]["0.1"]["recall"] == 0.5
    assert results["shares"]["0.1"]["auc_against_single"] == pytest.approx(7 / 8)
    assert results["f1_always_mixed"] == pytest.approx(0.5)
    assert results["false_positive_rate"] == {"single": 0.0, "spliced": 0.0}
    found = attention(bags, np.tile([0.25, 0.75], 12))
    assert found["word_auc"] == 1.0 and found["single"]["uneven"] == 1.5


def test_the_command_takes_vectors_or_words_with_a_network(folder, tmp_path):
    common = ["detect", "--split", str(folder / "split.json"), "--out", str(tmp_path)]
    options = ["--steps", "2", "--held-out", "40", "--batch", "8", "--size", "8"]
    options += ["--architecture", "mean-pool"]
    done = CliRunner().invoke(app, [*common, *options, "--vectors", str(folder)])
    assert done.exit_code == 0 and "test AUC" in done.output
    refused = CliRunner().invoke(app, [*common, "--words", "somewhere"])
    assert isinstance(refused.exception, HandshiftError) and "--network" in str(refused.exception)


def test_settings_that_cannot_be_are_refused_by_name(folder):
    with pytest.raises(HandshiftError, match="choose mean-pool, ab-mil"):
        DetectRecipe.of({"model": "oracle"})
    with pytest.raises(HandshiftError, match="words: "):
        DetectRecipe.of({"words": 1})
    with pytest.raises(HandshiftError, match="nowhere: expected"):
        WordVectors.load(folder / "nowhere")


def test_vectors_are_made_once(tmp_path, network, monkeypatch):
    from handshift.embedding import word_vectors as vectors

    words = tmp_path / "words"
    words.mkdir()
    np.save(words / "crops.npy", np.random.default_rng(0).integers(0, 255, (3, 64, 240), np.uint8))
    (words / "words.csv").write_text("page,writer,session,prompt\n" + "a.png,w,0,LND\n" * 3)
    made = vectors.cached_vectors(words, network, tmp_path / "kept")
    assert made.vectors.shape[0] == 3
    monkeypatch.setattr(vectors, "Embedder", None)  # not asked for a second time
    again = vectors.cached_vectors(words, network, tmp_path / "kept")
    assert again.fingerprint == made.fingerprint


def test_vectors_of_another_network_are_not_calibrated_with(folder, tmp_path):
    (tmp_path / "words.onnx").write_bytes(b"a network")
    assert vectors_by_network(tmp_path / "words.onnx", folder).vectors.shape == (
        2 * WRITERS * WORDS,
        DIMENSIONS,
    )
    kept = tmp_path / "vectors"
    shutil.copytree(folder, kept)
    (kept / "vectors.json").write_text('{"network": "another"}')
    with pytest.raises(HandshiftError, match="made by another network"):
        vectors_by_network(tmp_path / "words.onnx", kept)


def test_known_writers_are_spread_as_others_and_keep_their_lengths(folder):
    table = WordVectors.load(folder)
    known, others = (np.flatnonzero(np.isin(table.writer, split().parts[p])) for p in ("train", "validation"))
    easy = np.array(table.vectors)
    for writer in split().parts["train"]:
        easy[table.writer == writer] += easy[table.writer == writer].mean(axis=0)  # words closer together
    table = replace(table, vectors=easy)
    turned = rescale_to_held_out(table, split().parts["train"], split().parts["validation"])

    def words_to_writers(vectors, rows) -> float:
        writer, _, word = levels(replace(table, vectors=vectors), rows).variances
        return word / writer

    wanted = words_to_writers(easy, others)
    assert words_to_writers(easy, known) < 0.6 * wanted
    assert words_to_writers(turned, known) == pytest.approx(wanted, rel=0.15)
    assert np.allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(easy, axis=1), rtol=1e-4)
    assert np.array_equal(turned[others], easy[others])
