"""A model is trained on a folder and scores others' maps, each for itself."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tifffile
from folders import SIZE, write_domains
from PIL import Image
from tiny_encoder import write_encoder
from typer.testing import CliRunner

import handshift.cli
from handshift.cli.maps import app
from handshift.healthmap.dataset import read_dataset
from handshift.healthmap.health_map import read_map, write_map
from handshift.healthmap.trained_model import TrainedModel

LENIENT = ["--false-alarms", "0.3"]
TRAIN = ["--steps", "8", "--depth", "2", "--tokens", "4x6", *LENIENT]


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Maps, an encoder, and a Dinomaly trained on them."""
    home = tmp_path_factory.mktemp("home")
    write_domains(home / "maps", train=12, test=4)
    write_encoder(home / "encoder")
    done = run("train", home / "maps", "--out", home / "model", "--encoder", home / "encoder", *TRAIN)
    assert done.exit_code == 0, done.output
    return home


def scored(home: Path, *paths: Path, model: str = "model", code: int = 0) -> list[dict]:
    file = home / "scores.json"
    file.unlink(missing_ok=True)
    done = run("score", home / model, *paths, "--json", file)
    assert done.exit_code == code, done.output
    return json.loads(file.read_text())["maps"]


def test_training_tells_figures_by_domain_and_their_mean(home: Path):
    written = json.loads((home / "model" / "results.json").read_text())
    assert set(written["test"]) == {"A", "B", "mean"}
    assert 0 <= written["test"]["mean"]["auroc"] <= 1


def test_scores_are_those_of_training_and_know_their_domain(home: Path):
    records = scored(home, home / "maps" / "A" / "test")
    assert {record["domain"] for record in records} == {"A"}
    assert all(record["error"] is None and isinstance(record["flagged"], bool) for record in records)
    thresholds = json.loads((home / "model" / "results.json").read_text())["thresholds"]
    assert {record["threshold"] for record in records} == {thresholds["by_domain"]["A"]}
    fpr = np.mean([record["flagged"] for record in records if "good" in record["path"]])
    written = json.loads((home / "model" / "results.json").read_text())["test"]["A"]
    assert fpr == pytest.approx(written["false_positive_rate"])


def test_a_map_of_no_known_folder_takes_the_common_threshold(home: Path, tmp_path: Path):
    write_map(tmp_path / "lonely.tif", np.full(SIZE, 0.2))
    (record,) = scored(home, tmp_path / "lonely.tif")
    assert record["domain"] is None
    assert record["threshold"] == TrainedModel.load(home / "model").metadata.thresholds.overall


def test_bad_maps_are_named_one_by_one_and_the_others_are_scored(home: Path, tmp_path: Path):
    folder = tmp_path / "A"
    normal = read_map(home / "maps" / "A" / "test" / "good" / "map-000.tif").values
    write_map(folder / "fine.tif", normal)
    write_map(folder / "small.tif", normal[:20])
    write_map(folder / "loud.tif", 40 * normal)
    spoilt = normal.copy()
    spoilt[3, 3] = np.nan
    np.save(folder / "nan.npy", spoilt)
    tifffile.imwrite(folder / "eight.tif", (255 * normal.clip(0, 1)).astype(np.uint8))
    (folder / "damaged.tif").write_bytes(b"II*\0 and then nothing")
    records = {Path(record["path"]).stem: record for record in scored(home, folder, code=1)}
    assert records["fine"]["error"] is None
    assert "20×95" in records["small"]["error"]
    assert "NaN" in records["nan"]["error"]
    assert "8-bit" in records["eight"]["error"]
    assert records["damaged"]["error"]
    assert records["loud"]["error"] is None
    assert "training range" in records["loud"]["warning"]
    assert records["loud"]["flagged"] is not None


def test_nothing_to_score_is_no_success(home: Path, tmp_path: Path):
    (record,) = scored(home, tmp_path / "nowhere.tif", code=3)
    assert "no such file" in record["error"]


def test_a_report_is_written_and_anomaly_maps_have_the_pixels_of_the_map(home: Path, tmp_path: Path):
    done = run(
        "score", home / "model", home / "maps/A/test", "--anomaly", tmp_path / "odd",
        "--report", tmp_path / "report.html",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "map-000.tif" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert read_map(tmp_path / "odd" / "A" / "map-000.tif").size == SIZE


@pytest.mark.parametrize("detector", ["patchcore", "padim", "pca"])
def test_fitted_detectors_are_trained_and_used_by_the_same_commands(home: Path, detector: str):
    done = run(
        "train", home / "maps", "--out", home / detector, "--encoder", home / "encoder",
        "--detector", detector, *TRAIN,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    records = scored(home, home / "maps" / "B" / "test", model=detector)
    assert len(records) == 8


def test_training_again_goes_on_and_other_maps_are_refused(home: Path, tmp_path: Path):
    again = run("train", home / "maps", "--out", home / "model", "--encoder", home / "encoder", *TRAIN)
    assert again.exit_code == 0, again.output
    write_domains(tmp_path / "other", train=13, test=1)
    other = run("train", tmp_path / "other", "--out", home / "model", "--encoder", home / "encoder", *TRAIN)
    assert "another configuration" in str(other.exception)
    detector = run("train", home / "maps", "--out", home / "model", "--detector", "row-column", *TRAIN)
    assert "holds a dinomaly model; choose another folder" in str(detector.exception)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--detector", "oracle"], "oracle"),
        (["--framing", "round"], "circular"),
        (["--tokens", "eight"], "8x12"),
        (["--loss-options", "q=5"], "not JSON"),
        (["--loss", "nothing"], "hard-mined"),
        (["--loss", "top-q", "--loss-options", '{"k": 2}'], "loss top-q: k; it has q, ramp"),
        (["--domain", "Q"], "A, B"),
    ],
)
def test_what_cannot_be_trained_is_refused_by_name(
    home: Path, tmp_path: Path, words: list[str], complaint: str
):
    done = run("train", home / "maps", "--out", tmp_path, "--encoder", home / "encoder", *words)
    assert complaint in str(done.exception)


def test_maps_are_scored_without_torch(home: Path):
    program = (
        "import sys; from handshift.cli import main\n"
        f"sys.argv = ['handshift', 'maps', 'score', {str(home / 'model')!r}, {str(home / 'maps/A/test')!r}]\n"
        "try: main()\nfinally: assert 'torch' not in sys.modules, 'torch was loaded'"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_maps_use_one_thread_of_openblas_unless_more_are_asked_for(monkeypatch: pytest.MonkeyPatch):
    program = "import os, handshift.cli.maps; print(os.environ['OPENBLAS_NUM_THREADS'])"
    for given, used in ((None, "1"), ("3", "3")):
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        if given:
            monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
        assert done.stdout.strip() == used, done.stderr


def test_a_missing_extra_is_named_and_no_map_is_called_damaged(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tifffile", None)
    done = run("score", home / "model", home / "maps/A/test")
    assert "handshift[maps]" in str(done.exception)
    assert "damaged" not in done.output


@pytest.mark.parametrize("command", ["simulate", "build"])
def test_help_shows_folder_names_in_angle_brackets(command: str):
    done = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    assert {"simulate": "<domain>/{train,test}", "build": "<load>-<sensor>/{train,test}"}[
        command
    ] in done.output


def test_an_old_option_name_is_accepted_with_a_warning(tmp_path: Path):
    arguments = ["maps", "signal", str(tmp_path / "h.npz"), "--seconds", "1", "--rate", "2000"]
    done = CliRunner().invoke(handshift.cli.app, arguments)
    assert done.exit_code == 0, done.output
    assert "--rate is now --sample-rate" in done.output
    assert "2000 samples" in done.output


def test_standardised_maps_are_scored_with_the_numbers_of_training(home: Path, tmp_path: Path):
    out = home / "standard"
    done = run(
        "train", home / "maps", "--out", out, "--encoder", home / "encoder", "--detector", "pca",
        "--unit", "standard", "--stepped", "per-epoch", *TRAIN,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "mean level alone: auroc" in done.output
    path = home / "maps" / "A" / "test" / "good" / "map-000.tif"
    (record,) = scored(home, path, model="standard")
    louder = tmp_path / "A" / "louder.tif"
    write_map(louder, 1.3 * read_map(path).values)
    (same,) = scored(home, louder, model="standard")
    assert same["score"] == pytest.approx(record["score"], rel=1e-3)
    shutil.copytree(out, tmp_path / "other")
    (tmp_path / "other" / "standardisation.npz").unlink()
    lost = run("score", tmp_path / "other", path)
    assert "train the model again" in lost.output + str(lost.exception)


def test_the_row_column_statistic_is_trained_and_names_the_tooth(home: Path, tmp_path: Path):
    done = run("train", home / "maps", "--out", home / "rc", "--detector", "row-column", *LENIENT)
    assert done.exit_code == 0, done.output
    path = home / "maps" / "A" / "test" / "good" / "map-000.tif"
    struck = read_map(path).values.copy()
    struck[12, 20:50] *= 3
    write_map(tmp_path / "A" / "struck.tif", struck)
    normal, faulty = scored(home, path, tmp_path / "A" / "struck.tif", model="rc")
    assert normal["score"] < 0.3 * faulty["score"]
    assert faulty["flagged"]
    report = tmp_path / "report.html"
    run("score", home / "rc", tmp_path / "A" / "struck.tif", "--report", report)
    assert "Row 13 stands out" in report.read_text(encoding="utf-8")


def test_the_row_covariance_is_trained_and_shows_the_louder_row(home: Path, tmp_path: Path):
    done = run("train", home / "maps", "--out", home / "rows", "--detector", "row-covariance", *LENIENT)
    assert done.exit_code == 0, done.output
    path = home / "maps" / "A" / "test" / "good" / "map-000.tif"
    louder = read_map(path).values.copy()
    louder[12] *= 3  # the whole row: --unit standard would remove it
    write_map(tmp_path / "A" / "louder.tif", louder)
    normal, faulty = scored(home, path, tmp_path / "A" / "louder.tif", model="rows")
    assert normal["score"] < 0.3 * faulty["score"]
    anomaly = TrainedModel.load(home / "rows").examine(read_map(tmp_path / "A" / "louder.tif"), "A").anomaly
    assert anomaly.shape == louder.shape
    assert anomaly.mean(axis=1).argmax() == 12


def test_normal_maps_alone_are_enough_to_train(home: Path, tmp_path: Path):
    shutil.copytree(home / "maps", tmp_path / "data", ignore=shutil.ignore_patterns("test"))
    out = tmp_path / "model"
    done = run("train", tmp_path / "data", "--out", out, "--detector", "pca", *TRAIN)
    assert done.exit_code == 0, done.output
    path = home / "maps" / "A" / "test" / "good" / "map-000.tif"
    assert TrainedModel.load(out).examine(read_map(path), "A").score > 0


def test_pictures_of_any_shape_are_trained_and_scored_alike_at_their_own(home: Path, tmp_path: Path):
    random = np.random.default_rng(0)
    for number in range(12):
        path = tmp_path / "data" / "train" / "good" / f"{number:02d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        grey = random.integers(90, 160, (30 + 3 * number, 60 - 2 * number), np.uint8)
        Image.fromarray(grey).save(path)
    done = run(
        "train", tmp_path / "data", "--out", tmp_path / "model", "--detector", "patchcore",
        "--framing", "fitted", *TRAIN,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    model = TrainedModel.load(tmp_path / "model")
    (known,) = model.metadata.validation_scores.values()
    held_out = read_dataset(tmp_path / "data").validation
    scores = [model.examine(read_map(item.path), item.domain).score for item in held_out]
    assert scores == pytest.approx(known, rel=1e-2)  # training keeps features in half precision
    assert model.examine(read_map(held_out[0].path), None).anomaly.shape == read_map(held_out[0].path).size


def test_of_a_data_set_only_the_test_maps_are_scored(home: Path, tmp_path: Path):
    data = tmp_path / "data"
    shutil.copytree(home / "maps", data)
    masks = data / "A" / "ground_truth" / "fault"
    masks.mkdir(parents=True)
    for path in (data / "A" / "test" / "fault").iterdir():
        Image.fromarray(np.zeros(SIZE, np.uint8)).save(masks / f"{path.stem}_mask.png")
    records = scored(home, data)
    assert len(records) == 16
    assert all("/test/" in Path(record["path"]).as_posix() for record in records)
    assert all(record["error"] is None for record in records)


def test_the_list_is_ordered_by_score_and_says_on_how_few_maps_thresholds_rest(home: Path, tmp_path: Path):
    done = run("score", home / "model", home / "maps" / "A" / "test")
    title, *rows = done.output.splitlines()
    assert title.split() == ["score", "threshold", "domain", "map"]
    scores = [float(row.split()[1]) for row in rows if row.startswith(("FLAGGED", "normal"))]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 8
    strict = run(
        "train", home / "maps", "--out", tmp_path / "strict", "--detector", "row-column",
        "--false-alarms", "0.01",
    )  # fmt: skip
    assert (
        "rests on 1 normal maps: it guarantees 50.0% false alarms, not 1.0%; 99 are needed" in strict.output
    )
    of_one = run("score", tmp_path / "strict", home / "maps" / "B" / "test")
    assert "the threshold of B rests on" in of_one.output
    assert "the threshold of A rests on" not in of_one.output
    half = run(
        "train", home / "maps", "--out", tmp_path / "half", "--detector", "row-column", "--held-out", "0.5",
    )  # fmt: skip
    assert "rests on 7 normal maps: it guarantees 12.5% false alarms" in half.output


def test_a_detector_without_encoder_refuses_options_of_the_encoder(home: Path, tmp_path: Path):
    refused = run(
        "train", home / "maps", "--out", tmp_path / "model", "--detector", "row-column", "--unit", "map",
        "--tokens", "4x6",
    )  # fmt: skip
    assert "scales maps itself: leave out --tokens, --unit" in str(refused.exception)


def test_patchcore_is_trained_with_its_options_and_wrong_ones_are_named(home: Path, tmp_path: Path):
    data = ("train", home / "maps", "--out", tmp_path / "pc", "--encoder", home / "encoder", *TRAIN)
    options = '{"coreset": 40, "neighbours": 3, "pooling": true, "equalise": true, "cosine": true}'
    done = run(*data, "--detector", "patchcore", "--detector-options", options, "--blur", 1)
    assert done.exit_code == 0, done.output
    trained = TrainedModel.load(tmp_path / "pc")
    assert trained.metadata.scoring.blur == 1
    assert len(np.load(tmp_path / "pc" / "patchcore.npz")["memory"]) == 40
    wrong = run(*data, "--detector", "patchcore", "--detector-options", '{"size": 3}')
    assert "it has coreset, neighbours, pooling, equalise, cosine" in str(wrong.exception)
