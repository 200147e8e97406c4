"""The studies of detectors, on words of invented writers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import StudyError
from handshift.corpus.split import WriterSplit
from handshift.detect.combination import Combination
from handshift.study.spec import load_spec
from handshift.study.task import checked_configs, find_task
from handshift.study.tasks import detect_controls, detect_documents, detect_source, detect_where
from handshift.study.tasks.bag_comparisons import Comparisons
from handshift.study.tasks.detectors import DetectorConfig, detector_of

ROOT = Path(__file__).parents[2]
RECIPE = {"steps": 4, "evaluate_every": 4, "held_out": 60, "batch": 16, "words": 10}


@pytest.fixture
def base(folder, tmp_path):
    return {"vectors": folder, "split": folder / "split.json", "recipe": RECIPE, "trained": tmp_path}


@pytest.mark.parametrize("path", sorted((ROOT / "studies").glob("detect-*.yaml")), ids=lambda path: path.stem)
def test_every_study_of_detectors_can_be_begun(path):
    spec = load_spec(path)
    assert spec.variants is not None
    assert len(spec.seeds) == 5 and len(checked_configs(spec, find_task(spec.task))) == len(spec.variants)


def test_documents_are_compared_with_one_session_and_with_two(base):
    config = detect_documents.DocumentConfig(**base, detector="partition", words=12, foreign=(2, 5), bags=40)
    outcome = detect_documents.run(config, 1, Path())
    assert list(outcome.metrics) == ["2 / single", "2 / spliced", "5 / single", "5 / spliced"]
    assert outcome.metrics["5 / single"]["auroc"] > 0.9
    assert set(outcome.items.units) <= {f"w{number:02d}" for number in range(18, 24)}  # test writers alone


def test_the_default_is_made_from_train_and_calibration_writers_and_found_again(base, tmp_path):
    config = DetectorConfig(**base)
    made = detector_of(config, 1)
    assert isinstance(made, Combination)
    assert list(made.parts) == ["partition", "leave-one-out", "evidence-net", "relation-net"]
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("detector.onnx")}
    assert len(files) == 2
    detector_of(config, 1)
    assert {path: path.stat().st_mtime_ns for path in files} == files


def test_foreign_words_are_found_within_pages(base):
    config = detect_where.WhereConfig(**base, detector="partition", shares=(0.2,), pages=30)
    figures = detect_where.run(config, 1, Path()).metrics
    assert figures["block, 20%"]["word_auc"] > 0.95 and figures["scattered, 20%"]["word_auc"] > 0.9
    assert figures["block, 20%"]["word_f1"] > figures["block, 20%"]["word_f1_all_marked"]


def test_the_source_is_reported_with_its_false_alarms_and_the_trivial_f1(base):
    recipe = {"protocol": "source", "steps": 4, "evaluate_every": 4, "held_out": 60}
    figures = detect_source.run(DetectorConfig(**{**base, "recipe": recipe}, detector="ab-mil"), 1, Path())
    assert set(figures.metrics["all"]) == set(detect_source.METRICS)
    assert figures.metrics["all"]["f1_always_mixed"] == pytest.approx(0.8)


def test_the_source_study_takes_a_split_of_three_parts(base, tmp_path):
    """As the source splits: without calibration writers, the validation writers fit what has to be fitted."""
    whole = WriterSplit.load(base["split"])
    parts = {part: whole.parts[part] for part in ("train", "validation", "test")}
    WriterSplit(whole.corpus, 0, parts).save(tmp_path / "three.json")
    config = DetectorConfig(**{**base, "split": tmp_path / "three.json"}, detector="partition")
    outcome = detect_source.run(config, 1, Path())
    assert outcome.metrics["all"]["auroc"] > 0.9
    assert {"tpr_at_1", "accuracy", "false_positive_rate"} <= set(outcome.metrics["5%"])


def test_comparisons_are_measured_one_by_one_and_keep_their_writers():
    found = Comparisons()
    found.add("days", [True, True, False, False], [1.0, 2.0, 1.0, 2.0], ["a", "b", "a", "b"])
    found.add("hands", [True, False], [1.0, 0.0], ["a", "c"])
    outcome = found.outcome(("auroc", "tpr_at_5"))
    assert (
        outcome.metrics["days"] == {"auroc": 0.5, "tpr_at_5": 0.0}
        and outcome.metrics["hands"]["auroc"] == 1.0
    )
    assert outcome.items.groups.tolist() == ["days"] * 4 + ["hands"] * 2
    assert outcome.items.units.tolist() == list("ababac")


@pytest.mark.parametrize("name", detect_controls.CONDITIONS)
def test_a_condition_changes_how_a_page_looks_and_not_what_it_is(name):
    page = np.full((90, 60, 3), 230, np.uint8)
    page[40:50, 10:50] = 60
    seen = detect_controls.CONDITIONS[name](page)
    assert seen.dtype == np.uint8 and seen.shape[2] == 3 and seen.min() <= 75 and seen.max() >= 215


def test_vectors_that_are_nowhere_are_asked_for_by_name(monkeypatch):
    monkeypatch.delenv("HANDSHIFT_VECTORS", raising=False)
    with pytest.raises(StudyError, match="HANDSHIFT_VECTORS"):
        detect_documents.run(detect_documents.DocumentConfig(split=Path("s.json"), foreign=(1,)), 1, Path())
