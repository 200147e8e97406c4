"""The study on maps runs every kind of detector and keeps what its tables need."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import numpy as np
import pytest
from folders import write_domains
from tiny_encoder import write_encoder

from handshift.healthmap.baselines import PIXEL_DETECTORS
from handshift.healthmap.thresholds import FIGURES
from handshift.study.collected import load_provenance
from handshift.study.intervals import UnitInterval, save_intervals
from handshift.study.items import load_items, save_items
from handshift.study.measurements import Measurement
from handshift.study.results import Results
from handshift.study.runner import StudyFolders, planned_runs
from handshift.study.spec import load_spec
from handshift.study.study_record import StudyRecord
from handshift.study.task import ScoredItems, checked_configs, find_task
from handshift.study.tasks import maps, maps_data
from handshift.study.tasks.maps_data import MapsData, cache_folder, prepare, prepare_maps

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "studies").glob("maps-*.yaml"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory):
    home = tmp_path_factory.mktemp("study")
    encoder = write_encoder(home / "encoder")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANDSHIFT_CACHE", str(home / "cache"))
        yield {
            "data": {"train": 12, "test": 4, "encoder": str(encoder)},
            "recipe": {"depth": 2, "steps": 4, "warmup": 1},
            "false_alarms": 0.2,
        }


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_every_variant_of_the_studies_can_be_built(file: Path):
    spec = load_spec(file)
    configs = checked_configs(spec, find_task(spec.task))
    assert spec.seeds == [42, 43, 44, 123, 456]
    assert len(configs) == len(spec.expanded())


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_collected_runs_count_for_the_study_file_though_fields_were_added(file: Path, tmp_path: Path):
    provenance = load_provenance(ROOT / "results" / file.stem)
    runs = planned_runs(load_spec(file), StudyFolders(ROOT / "results", tmp_path))
    assert sum(run.done for run in runs) == (len(provenance.runs) if provenance else 0)


def test_faults_are_tabulated_by_kind_and_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    faults_text = importlib.import_module("measured.map_studies").faults_text
    names = ["patchcore, planet, full", "patchcore, planet, half", "row-column, planet, full, gain shift"]
    record = StudyRecord(name="faults", variants=names, seeds=[1], metrics=["auroc"], baseline=names[0])
    figures = [
        Measurement(name, 1, domain, "auroc", 0.9 - 0.1 * at)
        for at, name in enumerate(names)
        for domain in ("C", "D")
    ]
    save_intervals(tmp_path, [UnitInterval("auroc", "overall", names[1], 0.75, 0.85, 0.0, 0.0)])
    lines = faults_text(Results(record, tmp_path, figures), "auroc").splitlines()
    assert lines[0] == "| AUROC | planet, full | planet, half |"
    assert lines[2].startswith("| patchcore, no gain shift | **0.900")
    assert "0.800 (1 seed) [0.750–0.850]" in lines[2]
    assert lines[3].startswith("| row-column, gain shift | 0.700")


def test_every_gearbox_has_a_table_with_a_baseline_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    gearbox_text = importlib.import_module("measured.map_gearboxes").gearbox_text
    names = ["baseline", "padim", "baseline, gearbox 9", "padim, gearbox 9"]
    record = StudyRecord(name="gears", variants=names, seeds=[1, 2], metrics=["auroc"], baseline="baseline")
    figures = [
        Measurement(name, seed, domain, "auroc", 0.5 + 0.1 * at + 0.01 * seed * (at % 2))
        for at, name in enumerate(names)
        for domain in ("C", "D")
        for seed in (1, 2)
    ]
    results = Results(record, tmp_path, figures)
    head, _, *rows = gearbox_text(results, "gearbox 9", "auroc").splitlines()
    assert head.startswith("| AUROC | C | D | overall |")
    assert [row.split(" | ")[0] for row in rows] == ["| baseline (baseline)", "| padim"]
    assert "+0.115" in rows[1]  # against the baseline of gearbox 9, not .315 against that of the first
    assert "**0.815" in rows[1]
    assert "gearbox 9" not in gearbox_text(results, "", "auroc")


@pytest.mark.parametrize("detector", ["dinomaly", "pca", "shift-invariant-pca", "row-column", "mean-level"])
def test_a_run_has_every_figure_of_every_domain(base, detector: str, tmp_path: Path):
    config = maps.MapsConfig.model_validate({**base, "detector": detector})
    outcome = maps.run(config, 42, tmp_path)
    assert sorted(outcome.metrics) == ["A", "B", "C", "D"]
    assert set(outcome.metrics["A"]) == {*FIGURES, "mean_level_auroc"}
    if detector == "mean-level":
        assert all(one["auroc"] == one["mean_level_auroc"] for one in outcome.metrics.values())
    assert outcome.items is not None
    assert len(np.unique(outcome.items.units)) == 32
    found = outcome.metrics["B"]["recall"]
    own = (outcome.items.groups == "B") & (outcome.items.labels == 1)
    assert found == pytest.approx((outcome.items.scores[own] >= outcome.items.threshold_of("B")).mean())


def test_the_mean_level_stands_in_every_table_without_being_asked_for():
    spec = load_spec(ROOT / "studies" / "maps-losses.yaml")
    assert "mean_level_auroc" not in spec.metrics
    assert StudyRecord.of(spec, maps.TASK).metrics == [*spec.metrics, "mean_level_auroc"]


def test_cold_and_warm_maps_both_set_the_thresholds(base):
    data = prepare_maps(MapsData.model_validate(base["data"]))
    names = {item.path.stem.rpartition("-")[2] for item in data.parts["validation"]}
    assert names == {"cold", "warm"}
    assert not set(data.parts["train"]) & set(data.parts["validation"])


def test_what_runs_share_lies_where_the_docs_say(base, monkeypatch: pytest.MonkeyPatch):
    given = Path(os.environ["HANDSHIFT_CACHE"])
    prepare(MapsData.model_validate(base["data"]))
    assert any((given / "maps").iterdir())
    monkeypatch.delenv("HANDSHIFT_CACHE")
    assert cache_folder() == Path("cache/maps")


def test_thresholds_of_groups_survive_the_file(tmp_path: Path):
    groups = np.array(["A", "B", "A"])
    items = ScoredItems(np.array([0, 1, 1]), np.array([0.1, 0.2, 0.3]), groups, groups, {"A": 0.15, "B": 0.3})
    save_items(tmp_path, items)
    loaded = load_items(tmp_path)
    assert loaded is not None
    assert (loaded.threshold_of("A"), loaded.threshold_of("B")) == (0.15, 0.3)


def test_variants_that_learn_alike_share_a_decoder(base, tmp_path: Path):
    def decoders(**changed: object) -> set[Path]:
        config = maps.MapsConfig.model_validate({**base, **changed})
        folder = tmp_path / "-".join(changed)
        folder.mkdir()
        maps.run(config, 7, folder)
        assert (folder / "training" / "metrics.jsonl").is_file()
        return set(cache_folder().glob("decoder-*"))

    first = decoders(detector="dinomaly")
    assert decoders(thresholds="global") == first
    assert decoders(data={**base["data"], "gain_shift": False}) == first
    assert len(decoders(recipe={**base["recipe"], "loss": "mean"})) == len(first) + 1


def test_a_study_takes_a_folder_of_ones_own_maps(base, tmp_path: Path):
    folder = write_domains(tmp_path / "own", train=12, test=3)
    data = {"folder": str(folder), "encoder": base["data"]["encoder"], "unit": "standard"}
    config = maps.MapsConfig.model_validate({**base, "detector": "pca", "data": data})
    outcome = maps.run(config, 42, tmp_path)
    assert sorted(outcome.metrics) == ["A", "B"]
    before = config.data.fingerprint()
    write_domains(folder, train=12, test=4)
    maps_data._content.cache_clear()
    assert config.data.fingerprint() != before


def test_training_curves_of_a_run_are_on_the_board(base, tmp_path: Path):
    maps.run(maps.MapsConfig.model_validate({**base, "detector": "dinomaly"}), 3, tmp_path)
    assert list((tmp_path / "training" / "tensorboard").iterdir())


def test_normal_maps_are_encoded_once_whatever_the_fault_and_never_for_pixels(
    base, tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("HANDSHIFT_CACHE", str(tmp_path / "cache"))
    config = maps.MapsConfig.model_validate({**base, "detector": "row-column"})
    maps.run(config, 42, tmp_path)
    assert not list(cache_folder().glob("features-*"))
    planet = prepare(MapsData.model_validate({**base["data"], "unit": "standard"}))
    first = set(cache_folder().glob("features-*"))
    assert len(first) == 4  # training, validation, normal and faulty test maps
    ring = prepare(MapsData.model_validate({**base["data"], "unit": "standard", "fault": "ring"}))
    assert len(set(cache_folder().glob("features-*")) - first) == 1
    labels = np.array([item.label for item in prepare_maps(config.data).parts["test"]])
    same = (planet.features["test"] == ring.features["test"]).all(axis=(1, 2, 3))
    assert (same == (labels == 0)).all()


def test_a_detector_without_a_seed_is_fitted_once_for_all_seeds(
    base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_CACHE", str(tmp_path / "cache"))
    config = maps.MapsConfig.model_validate({**base, "detector": "row-column"})
    first = maps.run(config, 42, tmp_path)
    monkeypatch.setattr(maps, "PIXEL_DETECTORS", dict.fromkeys(PIXEL_DETECTORS))  # none can be fitted
    assert maps.run(config, 43, tmp_path).metrics == first.metrics


def test_an_encoder_counts_by_its_weights_and_not_by_its_place(tmp_path: Path):
    first, second = (write_encoder(tmp_path / name) for name in ("one", "two"))
    weights = (first / "model.safetensors").read_bytes()
    (second / "model.safetensors").write_bytes(weights)
    found = MapsData(encoder=str(first)).fingerprint()
    assert MapsData(encoder=str(second)).fingerprint() == found
    (second / "model.safetensors").write_bytes(weights[:-1] + bytes([weights[-1] ^ 1]))
    maps_data._file_hash.cache_clear()
    assert MapsData(encoder=str(second)).fingerprint() != found


def test_results_of_before_stay_valid_where_new_fields_are_not_set():
    assert MapsData().fingerprint() == "9c34795f80cc"
    assert MapsData(size=0.5).fingerprint() != MapsData().fingerprint()
