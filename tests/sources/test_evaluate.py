"""S1 and S4: verification (AUC, EER, TAR@FAR, 10 folds) and identification by prototypes, on drawn words."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_handshift import handshift

from handshift.core.errors import HandshiftError
from handshift.embedding.verification import balanced_pairs, similarities
from handshift.embedding.word_vectors import WordVectors
from handshift.metrics import auroc
from handshift.validation.evaluate import evaluate_vectors

FEW: dict[str, Any] = {"pairs": 400, "impostors": 500, "repeats": 20, "rounds": 2}


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    """Three parts, as the source has them: no calibration part."""
    path = tmp_path_factory.mktemp("split") / "split.json"
    parts = {"train": ["0000", "0001"], "validation": ["0002"], "test": ["0003", "0004", "0005"]}
    path.write_text(json.dumps({"corpus": "words", "seed": 0, "parts": parts}))
    return path


def test_the_command_prints_verification_and_identification(vectors, split, run_folder, tmp_path):
    options = [word for name, value in FEW.items() for word in (f"--{name}", value)]
    given = ["evaluate", vectors, "--split", split, "--model", run_folder, "--out", tmp_path / "figures.json"]
    printed = handshift(*given, *options)
    assert printed.startswith("3 writers\nwords: AUC 0.")
    assert "10-fold accuracy" in printed and "TAR at FAR 1e-3" in printed
    assert "identification by page, attention: rank 1" in printed
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures == json.loads(json.dumps(evaluate_vectors(vectors, split, model=str(run_folder), **FEW)))
    assert figures["model"] is None, "the network is not calibrated"


def test_the_figures_are_those_of_cosines_of_balanced_pairs(vectors, split):
    table = WordVectors.load(vectors)
    figures: dict[str, Any] = evaluate_vectors(vectors, split, **FEW)
    pairs = balanced_pairs(table, ["0003", "0004", "0005"], FEW["pairs"], figures["seed"])
    found = auroc(pairs.same, similarities(np.asarray(table.vectors), pairs.rows))
    assert figures["words"]["auc"]["value"] == round(found, 4)
    assert "by_shorter_word" in figures["words"], "crops lie beside the vectors"


def test_identification_is_the_arg_max_of_cosines_and_better_than_chance(vectors):
    found: dict[str, Any] = evaluate_vectors(vectors, **FEW)
    figures = found["identification"]["page"]
    for how in ("mean", "attention"):
        assert figures[how]["people_asked_about"] == 6
        assert figures[how]["rank_1"]["value"] > 2 * figures[how]["chance"]["rank_1"]


def test_vectors_of_another_network_are_refused(vectors):
    with pytest.raises(HandshiftError, match="made by another network"):
        evaluate_vectors(vectors, model="words-3", **FEW)


def test_a_part_that_is_missing_is_named(vectors, split):
    with pytest.raises(HandshiftError, match="no part 'calibration'; it has train, validation, test"):
        evaluate_vectors(vectors, split, part="calibration", **FEW)


def test_folders_of_single_words_are_evaluated_without_pages(run_folder, corpus, tmp_path):
    for writer in ("0000", "0001", "0002", "0003"):
        shutil.copytree(corpus / writer, tmp_path / "plain" / writer)
    handshift("embed", tmp_path / "plain", "--model", run_folder, "--out", tmp_path / "v", "--cut", "word")
    printed = handshift("evaluate", tmp_path / "v", "--pairs", 100, "--impostors", 100, "--repeats", 10)
    assert "words: AUC 0." in printed and "pages: not measured" in printed
    assert "identification: not measured" in printed


def test_the_benchmarks_measure_what_the_command_prints(tiny_model, corpus, split, tmp_path):
    vectors = tmp_path / "vectors"
    handshift("embed", corpus, "--model", tiny_model, "--out", vectors)
    figures: dict[str, Any] = evaluate_vectors(vectors, split, model=tiny_model, **FEW)
    figures = json.loads(json.dumps(figures))
    common = ["--data", corpus, "--split", split, "--words", vectors / "crops", "--model", tiny_model]
    few = [word for name in ("pairs", "impostors", "repeats") for word in (f"--{name}", FEW[name])]
    verified = run_benchmark("verification", tmp_path, *common, *few)
    assert verified["words"] == figures["words"] and verified["pages"] == figures["pages"]
    assert "cllr" in figures["pages"], "pages are compared by likelihood ratio"
    identified = run_benchmark("identification", tmp_path, *common, "--rounds", FEW["rounds"])
    assert {name: identified[name] for name in figures["identification"]} == figures["identification"]


def run_benchmark(name: str, folder: Path, *options: object) -> dict[str, Any]:
    out = folder / f"{name}.json"
    given = [*options, "--vectors", folder / "cache", "--threads", 1, "--draft", "--out", out]
    script = Path(__file__).parents[2] / "benchmarks" / f"{name}.py"
    subprocess.run([sys.executable, script, *map(str, given)], check=True, capture_output=True)
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found
