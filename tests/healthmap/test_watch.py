"""A machine is watched: index, alarm, change point, tooth, and a restart in the middle."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from handshift.cli.maps import app
from handshift.core.errors import HandshiftError
from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.recording import write_recording
from handshift.healthmap.watch.alarm import AlarmRule, FalseAlarms
from handshift.healthmap.watch.change_point import change_point
from handshift.healthmap.watch.observer import Observed
from handshift.healthmap.watch.watch_log import Observation
from handshift.healthmap.watch.watch_page import watch_html
from handshift.healthmap.watch.watcher import Watcher


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_an_alarm_starts_at_three_of_five_and_ends_at_one() -> None:
    flags = [bool(int(digit)) for digit in "0010011010110000100"]
    states = "".join(str(int(state)) for state in AlarmRule(5, 3, 1).states(flags))
    assert states == "0000001111111110000"
    with pytest.raises(HandshiftError, match="off < on"):
        AlarmRule(5, 3, 3)


def test_the_stated_false_alarm_rate_is_that_of_simulated_flags() -> None:
    rule, random = AlarmRule(5, 3, 1), np.random.default_rng(0)
    states = np.array(rule.states(random.random(200_000) < 0.1), int)
    assert (np.diff(states) == 1).mean() == pytest.approx(rule.false_alarms(0.1).per_map, rel=0.06)
    assert states.mean() == pytest.approx(rule.false_alarms(0.1).share, rel=0.06)
    assert rule.false_alarms(0.01).per_map < 1e-4
    assert AlarmRule(1, 1, 0).false_alarms(0.1).per_map == pytest.approx(0.09)


def test_where_every_map_is_flagged_the_alarm_never_starts_again_and_is_always_on() -> None:
    rule = AlarmRule(5, 3, 1)
    assert rule.false_alarms(0.0) == FalseAlarms(0, 0)
    always = rule.false_alarms(1.0)
    assert always.per_map == pytest.approx(0)
    assert always.share == pytest.approx(1)


def test_the_stated_rate_allows_for_thresholds_on_few_maps() -> None:
    rule, random = AlarmRule(5, 3, 1), np.random.default_rng(0)
    alarms = []
    for _ in range(400):  # a threshold for 5 % from 40 scores, then 1,000 maps of a healthy machine
        threshold = np.sort(random.random(40))[-2]
        alarms.append((np.diff(np.array(rule.states(random.random(1000) > threshold), int)) == 1).mean())
    stated = rule.expected_false_alarms(40, 0.05)
    assert stated.per_map == pytest.approx(np.mean(alarms), rel=0.15)
    assert stated.per_map > 2 * rule.false_alarms(2 / 41).per_map
    many = rule.expected_false_alarms(10**5, 0.05)
    assert many.per_map == pytest.approx(rule.false_alarms(0.05).per_map, rel=0.02)
    assert rule.expected_false_alarms(40, 0.05, joined=2).per_map > stated.per_map
    assert rule.expected_false_alarms(2, 0.01, joined=4).share > 0.5


def test_a_change_is_found_where_it_is_and_noise_has_none() -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=200)
    found = [change_point(random.normal(size=200)) for _ in range(50)]
    assert sum(one is not None for one in found) <= 2
    values[120:] += 1.5
    point = change_point(values)
    assert point is not None
    assert abs(point.index - 120) <= 5
    assert change_point(values[:6]) is None


@pytest.mark.parametrize("grows", ["at once", "slowly"])
def test_a_change_is_dated_whether_it_comes_at_once_or_grows(grows: str) -> None:
    random, time = np.random.default_rng(1), np.arange(300)
    risen = 2.0 * (time >= 150) if grows == "at once" else np.maximum(0, time - 149) / 10
    dated = []
    for _ in range(40):
        values = risen * np.exp(0.25 * random.normal(size=300)) + 0.4 * random.normal(size=300)
        values[random.integers(300, size=3)] += 5  # transients
        found = change_point(values)
        assert found is not None
        dated.append(found.index)
    assert np.abs(np.quantile(dated, [0.1, 0.5, 0.9]) - 150).max() <= 6


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The row/column statistic of a simulated gearbox, warm."""
    home = tmp_path_factory.mktemp("watched")
    options = ["--train", 60, "--test", 2, "--seed", 3, "--condition", "warm"]
    assert run("simulate", home / "maps", *options).exit_code == 0
    done = run(
        "train", home / "maps", "--out", home / "model", "--detector", "row-column", "--domain", "C",
        "--false-alarms", "0.15",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return home / "model"


def test_a_growing_fault_raises_the_alarm_names_the_tooth_and_survives_a_restart(model: Path, tmp_path: Path):
    failing = tmp_path / "failing"
    grown = ["--maps", 80, "--onset", 40, "--size", 2, "--tooth", 13, "--seed", 3]
    assert run("degrade", failing, *grown).exit_code == 0
    late = sorted((failing / "C").iterdir())[50:]
    times = {path: path.stat().st_mtime for path in late}
    for path in late:
        path.rename(tmp_path / path.name)
    first = run("watch", model, failing, "--out", tmp_path / "out", "--once")
    assert first.exit_code == 0, first.output
    log = tmp_path / "out" / "watch.jsonl"
    log.write_text(log.read_text() + '{"path": "C/000', encoding="utf-8")  # a crash in the middle of a line
    for path in late:
        (tmp_path / path.name).rename(path)
        os.utime(path, (times[path],) * 2)
    second = run("watch", model, failing, "--out", tmp_path / "out", "--once")
    assert "continues after 50 maps" in second.output
    lines = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    assert [line["path"] for line in lines] == [f"C/{number:05d}.tif" for number in range(80)]
    whole = run("watch", model, failing, "--out", tmp_path / "whole", "--once")
    assert whole.exit_code == 0, whole.output
    assert (tmp_path / "whole" / "watch.jsonl").read_text() == log.read_text()
    alarms = [number for number, line in enumerate(lines) if line["alarm"]]
    assert alarms and 40 <= alarms[0] <= 65
    assert lines[-1]["alarm"]
    assert {line["tooth"] for line in lines[-8:] if line["tooth"]} == {"row 13"}
    page = (tmp_path / "out" / "watch.html").read_text(encoding="utf-8")
    assert "ALARM" in page
    assert "Change point: C/000" in page
    assert "Stands out: row 13" in page
    assert "of the time, if normal maps are independent" in page
    assert 'http-equiv="refresh"' in page


def test_the_page_of_a_long_watch_shows_the_latest_maps(model: Path, tmp_path: Path):
    watcher = Watcher(TrainedModel.load(model), tmp_path, tmp_path / "out")
    levels = [0.1 * (at % 7) + (2 if at >= 3500 else 0) for at in range(4000)]
    seen = [Observation(path=f"{at}.tif", time=600.0 * at, index=level) for at, level in enumerate(levels)]
    page = watch_html(watcher, seen, 10)
    assert page.count("<circle") == 3000
    assert "The last 3,000 of 4,000 maps, from" in page
    assert 'x1="750.0" x2="750.0"' in page  # the change, map 2,500 of the 3,000 shown on 900 pixels
    assert "oldest map left." in watch_html(watcher, seen[:20], 10)


def test_files_copied_at_once_tell_no_rate_and_few_validation_maps_are_said(tmp_path: Path):
    options = ["--train", 24, "--test", 4, "--seed", 3, "--condition", "warm"]
    assert run("simulate", tmp_path / "maps", *options).exit_code == 0
    trained = run("train", tmp_path / "maps", "--out", tmp_path / "model", "--detector", "row-column")
    assert trained.output.count("the threshold of C rests on") == 1
    copied = tmp_path / "maps" / "C" / "test"
    for path in copied.rglob("*.tif"):
        os.utime(path, (1_700_000_000,) * 2)
    arguments = ["watch", tmp_path / "model", copied, "--domain", "C", "--out"]
    unknown = run(*arguments, tmp_path / "a", "--once")
    assert "expected false alarms: unknown (give --per-day)" in unknown.output
    assert "the threshold of C rests on" in unknown.output
    given = run(*arguments, tmp_path / "b", "--once", "--per-day", 144)
    assert "of the time, if normal maps are independent" in given.output
    page = (tmp_path / "b" / "watch.html").read_text(encoding="utf-8")
    assert "Too few normal maps under 4 of 4 thresholds; the threshold of A rests on" in page


def test_a_damaged_file_is_logged_and_another_model_refused(model: Path, tmp_path: Path):
    (tmp_path / "in" / "C").mkdir(parents=True)
    broken = tmp_path / "in" / "C" / "broken.tif"
    broken.write_bytes(b"II*\0")
    os.utime(broken, (1, 1))
    done = run("watch", model, tmp_path / "in", "--out", tmp_path / "out", "--once")
    assert "damaged" in done.output
    assert json.loads((tmp_path / "out" / "watch.jsonl").read_text().splitlines()[1])["error"]
    text = (tmp_path / "out" / "watch.jsonl").read_text()
    (tmp_path / "out" / "watch.jsonl").write_text(text.replace('"model": "', '"model": "x'))
    other = run("watch", model, tmp_path / "in", "--out", tmp_path / "out", "--once")
    assert "another model" in str(other.exception)


def test_recordings_of_two_sensors_are_watched_as_one(tmp_path: Path):
    rng = np.random.default_rng(0)
    seconds = np.arange(2000 * 9) / 2000

    def record(path: Path, loud: float, moment: float = 0.0) -> None:
        tone = np.cos(2 * np.pi * 200 * seconds)[:, None] + 0.05 * rng.standard_normal((len(seconds), 2))
        struck = (
            np.flatnonzero(np.diff(np.floor(10 * seconds + 0.35))) + 1
        )  # once a turn, in half of the turns
        tone[struck[rng.random(len(struck)) < 0.5], 1] += loud
        path.parent.mkdir(parents=True, exist_ok=True)
        write_recording(path, tone, 2000)
        os.utime(path, (moment, moment))

    record(tmp_path / "h10hz.npz", 0.0)
    built = run(
        "build", tmp_path / "h10hz.npz", "--out", tmp_path / "maps", "--teeth", 20, "--speed", 10,
        "--turns", 8,
    )  # fmt: skip
    assert built.exit_code == 0, built.output
    trained = run(
        "train", tmp_path / "maps", "--out", tmp_path / "model", "--detector", "row-column",
        "--false-alarms", "0.5",
    )  # fmt: skip
    assert trained.exit_code == 0, trained.output
    for number in range(8):
        record(tmp_path / "in" / f"10hz-{number:02d}.npz", 0.0 if number < 4 else 3.0, 600.0 * number)
    (tmp_path / "rig.yaml").write_text("gear: {teeth: 20, speed: 10}\n")
    watched = run(
        "watch", tmp_path / "model", tmp_path / "in", "--out", tmp_path / "out", "--once",
        "--recordings", tmp_path / "rig.yaml", "--turns", 8,
    )  # fmt: skip
    assert watched.exit_code == 0, watched.output
    lines = [json.loads(line) for line in (tmp_path / "out" / "watch.jsonl").read_text().splitlines()[1:]]
    assert [line["error"] for line in lines] == [None] * 8
    assert {line["tooth"] for line in lines} == {None}, (
        "without a tachometer tooth 1 is another one each time"
    )
    assert {line["domain"] for line in lines[4:]} == {"10hz-a2"}
    assert min(line["index"] for line in lines[4:]) > max(line["index"] for line in lines[:4])
    assert lines[-1]["alarm"]


def test_a_planet_tooth_has_no_number_in_recordings() -> None:
    anomaly = np.random.default_rng(0).random((31, 95)).astype(np.float32)
    anomaly[12, 20:70] += 4
    maker = MapMaker(PlanetaryStage(), speed=4)
    assert (maker.counted_rows, replace(maker, style=MapStyle.ORDERS).counted_rows) == (False, True)
    found = []
    for turned in (anomaly, anomaly.T.copy()):
        scored = ScoredMap(Path("r.npz"), "4hz-a1", turned, turned, score=2.0, threshold=1.0)
        found.append(Observed(2.0, None, scored, maker.axes, maker.counted_rows).stands_out)
    assert found == ["planet tooth", "ring tooth 13"]
