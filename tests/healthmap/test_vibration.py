"""From vibration to maps."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from handshift.cli.maps import app
from handshift.core.errors import MapError
from handshift.healthmap.dataset import read_dataset
from handshift.healthmap.health_map import read_map
from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.simulate_signal import SignalSimulation, SimulatedSignal, simulate_signal
from handshift.healthmap.vibration.build_dataset import parse_recording_name
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.order_tracking import angle_from_tacho, angle_from_tone, resample_to_angle
from handshift.healthmap.vibration.recording import Recording, read_recording
from handshift.healthmap.vibration.spectrum import (
    frequency_spectrum,
    marked_orders,
    mean_speed,
    order_spectrum,
)
from handshift.healthmap.vibration.tooth_maps import difference_signal, synchronous_average
from handshift.healthmap.which_tooth import Axis, which_tooth

STAGE = PlanetaryStage()
GEARBOX = Path(__file__).parents[3] / "shared" / "data" / "gfd_gearbox"


def recorded(simulated: SimulatedSignal, tacho: bool = True) -> Recording:
    signal = simulated.signal[:, None]
    return Recording(signal, simulated.rate, Path("drawn"), simulated.tacho if tacho else None)


@pytest.fixture(scope="module")
def healthy() -> SimulatedSignal:
    return simulate_signal(SignalSimulation(seconds=9, variation=0.01))


@pytest.fixture(scope="module")
def broken() -> SimulatedSignal:
    return simulate_signal(SignalSimulation(seconds=9, fault=FaultKind.PLANET, tooth=12))


def test_the_mesh_tone_tells_a_known_variation_of_speed(healthy: SimulatedSignal) -> None:
    angle = angle_from_tone(recorded(healthy, tacho=False), 0, order=96, speed=4.05)
    known = np.isfinite(angle)
    assert known.mean() > 0.9
    away = (angle - healthy.turns)[known]
    assert (away - away.mean()).std() < 0.002  # turns; a tooth is 0.0105
    assert np.ptp(np.gradient(healthy.turns)) * healthy.rate > 0.07  # turns a second that were to be followed


def test_tacho_pulses_tell_the_angle(healthy: SimulatedSignal) -> None:
    angle = angle_from_tacho(recorded(healthy))
    known = np.isfinite(angle)
    assert np.abs(angle - healthy.turns)[known].max() < 1e-4


def test_sequentially_phased_planets_leave_multiples_of_three(healthy: SimulatedSignal) -> None:
    turns = resample_to_angle(recorded(healthy), angle_from_tacho(recorded(healthy)), 95 * 16)
    amplitude = np.abs(np.fft.rfft(synchronous_average(turns, len(turns))[0, :, 0]))
    assert min(amplitude[93], amplitude[96]) > 20 * amplitude[[94, 95, 97]].max()


def test_averaging_cycles_keeps_what_turns_with_the_teeth() -> None:
    rng = np.random.default_rng(0)
    cycle = rng.normal(size=(3, 64, 1))
    noise = rng.normal(size=(25, 64, 1))
    average = synchronous_average(np.resize(cycle, (25, 64, 1)) + noise, count=4, cycle=3)
    assert average.shape == (6, 64, 1)  # two means of four cycles of three turns; the last turn fills none
    assert np.std(average[3:] - cycle) == pytest.approx(0.5, rel=0.2)


def test_an_averaged_recording_gives_fewer_and_quieter_maps(healthy: SimulatedSignal) -> None:
    single, mean = (MapMaker(95, 4, order=96, columns=4, average=n).maps(recorded(healthy)) for n in (1, 4))
    assert len(mean) == len(single) // 4
    assert mean.mean() < 0.97 * single.mean()


def test_the_difference_signal_has_lost_the_mesh_and_kept_the_click() -> None:
    angle = np.arange(20 * 32 * 16) / (32 * 16)
    tone = np.cos(2 * np.pi * 32 * angle) * (1 + 0.3 * np.cos(2 * np.pi * angle))
    click = np.zeros((20, 32 * 16))
    click[:, 100] = 5
    rest = difference_signal((tone.reshape(20, -1) + click)[:, :, None], mesh_order=32, sidebands=1)[:, :, 0]
    assert np.abs(np.delete(rest, range(80, 120), axis=1)).max() < 0.8
    assert rest[:, 100].min() > 4


@pytest.mark.parametrize("tacho", [True, False])
def test_a_broken_planet_tooth_becomes_a_row(broken: SimulatedSignal, tacho: bool) -> None:
    maker = MapMaker(STAGE, speed=4)
    map_ = maker.maps(recorded(broken, tacho))[0, 0]
    assert map_.shape == (31, 95)
    tooth = which_tooth(map_).tooth
    assert tooth is not None
    assert tooth.axis is Axis.ROW
    if tacho:  # without one, where counting begins is not known
        assert tooth.number == 12


def test_a_broken_ring_tooth_becomes_a_column_for_each_planet() -> None:
    signal = simulate_signal(SignalSimulation(seconds=9, fault=FaultKind.RING, tooth=40))
    tooth = which_tooth(MapMaker(STAGE, speed=4).maps(recorded(signal))[0, 0]).tooth
    assert tooth is not None
    assert tooth.axis is Axis.COLUMN
    assert min(abs(tooth.number - place) for place in (40, 40 - 95 / 3, 40 + 95 / 3)) < 1.1


def test_a_parallel_stage_becomes_teeth_by_turns() -> None:
    rng = np.random.default_rng(0)
    seconds = np.arange(12_800 * 3) / 12_800
    signal = np.cos(2 * np.pi * 20 * 30 * seconds) + 0.05 * rng.standard_normal(len(seconds))
    struck = np.flatnonzero(np.diff(np.floor(30 * seconds + 0.35))) + 1
    signal[struck] += 2
    recording = Recording(np.stack([signal, signal], axis=1), 12_800, Path("drawn"))
    maps = MapMaker(20, speed=30, columns=8).maps(recording)
    assert maps.shape[1:] == (2, 20, 8)
    rows = maps[:, 0].mean(axis=2)  # (maps, teeth)
    assert (rows.max(axis=1) > 5 * np.median(rows, axis=1)).all()
    orders = MapMaker(20, speed=30, columns=8, style=MapStyle.ORDERS).maps(recording)
    assert orders[:, 0].mean(axis=(0, 2))[:30].argmax() in (19, 20)


def test_a_recording_that_is_too_short_or_has_no_rate_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "h1.npz", counts=np.zeros((300, 2), np.int16), scale=np.float32(0.1))
    with pytest.raises(MapError, match="--sample-rate"):
        read_recording(tmp_path / "h1.npz")
    with pytest.raises(MapError, match="cannot be tracked"):
        MapMaker(32, speed=30).maps(read_recording(tmp_path / "h1.npz", 12_800))
    np.save(tmp_path / "h2.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(MapError, match="which are not read"):
        read_recording(tmp_path / "h2.npy", 12_800)
    with pytest.raises(MapError, match="cannot be read"):
        read_recording(tmp_path / "h3.npz", 12_800)


@pytest.mark.parametrize(
    ("name", "load", "faulty"),
    [("h30hz50.npz", "30hz50", False), ("broken-7.wav", "7", True), ("good.npz", "all", False)],
)
def test_file_names_tell_class_and_load(name: str, load: str, faulty: bool) -> None:
    found = parse_recording_name(Path(name))
    assert (found.load, found.faulty) == (load, faulty)
    with pytest.raises(MapError, match="does not give its class"):
        parse_recording_name(Path("recording1.npz"))


def test_the_command_builds_a_data_set_split_by_time(
    tmp_path: Path, healthy: SimulatedSignal, broken: SimulatedSignal
) -> None:
    for name, drawn in (("h4hz.npz", healthy), ("b4hz.npz", broken)):
        np.savez(tmp_path / name, signal=drawn.signal[:, None], rate=drawn.rate, tacho=drawn.tacho)
    options = ["--teeth", "31,95", "--style", "orders", "--turns", "3", "--speed", "4"]
    recordings = [str(tmp_path / "h4hz.npz"), str(tmp_path / "b4hz.npz")]
    out = tmp_path / "maps"
    result = CliRunner().invoke(app, ["build", *recordings, "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    assert "detected just as well as the fault" in result.output
    data = read_dataset(out)
    assert data.domains == ("4hz-a1",)
    rows = list(csv.DictReader((out / "truth.csv").read_text().splitlines()))
    trained = [int(row["number"]) for row in rows if row["split"] == "train"]
    tested = [int(row["number"]) for row in rows if row["split"] == "test" and row["label"] == "0"]
    assert max(trained) + 1 < min(tested)
    assert read_map(data.train[0].path).values.min() >= 0


def test_teeth_that_share_a_factor_are_refused_at_the_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["build", "h.npz", "--out", str(tmp_path / "maps"), "--teeth", "30,95"], env={"COLUMNS": "200"}
    )
    assert result.exit_code == 2
    assert "share the factor 5" in result.output


@pytest.mark.shared
@pytest.mark.skipif(not GEARBOX.is_dir(), reason="the shared data folder is not here")
def test_the_real_gearbox_turns_just_under_thirty_times_a_second() -> None:
    recording = read_recording(GEARBOX / "h30hz0.npz", 12_800)
    angle = angle_from_tone(recording, 2, order=32, speed=30)
    speed = np.diff(angle[np.isfinite(angle)]) * recording.rate
    assert 29.7 < speed.mean() < 29.8
    turns = resample_to_angle(recording, angle, 512)
    average = synchronous_average(turns, len(turns))[0]
    assert average[:, 2].var() > 0.2 * turns[:, :, 2].var()  # of one turn in 204, chance would leave 0.005


def test_without_a_tachometer_no_map_tells_where_its_recording_began(broken: SimulatedSignal) -> None:
    signal = np.concatenate([broken.signal, broken.signal])
    recording = Recording(signal[:, None], broken.rate, Path("h1"))
    maps = MapMaker(95, speed=4, order=96, columns=10).maps(recording)[:, 0]
    loudest = {int(map_.mean(axis=1).argmax()) for map_ in maps}
    assert len(loudest) > len(maps) // 2
    assert np.array_equal(maps, MapMaker(95, speed=4, order=96, columns=10).maps(recording)[:, 0])


def test_a_simulated_recording_becomes_maps_by_two_commands(tmp_path: Path) -> None:
    for name, how in (("h4hz.npz", ()), ("b4hz.npz", ("--fault", "planet", "--tooth", "13"))):
        options = ["--seconds", "36", "--sample-rate", "6400", *how]
        assert CliRunner().invoke(app, ["signal", str(tmp_path / name), *options]).exit_code == 0
    recordings = [str(tmp_path / "h4hz.npz"), str(tmp_path / "b4hz.npz")]
    out = tmp_path / "maps"
    options = ["--teeth", "31,95", "--speed", "4"]
    result = CliRunner().invoke(app, ["build", *recordings, "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    fault = next(item for item in read_dataset(out).test if item.label)
    tooth = which_tooth(read_map(fault.path).values).tooth
    assert tooth is not None
    assert (tooth.axis, tooth.number) == (Axis.ROW, 12)


def test_a_wrong_speed_is_refused_instead_of_followed(healthy: SimulatedSignal) -> None:
    with pytest.raises(MapError, match="no clear tone at order 96"):
        angle_from_tone(recorded(healthy, tacho=False), 0, order=96, speed=3.6)


def test_the_order_spectrum_is_sharp_where_the_speed_varies(healthy: SimulatedSignal) -> None:
    maker = MapMaker(STAGE, speed=4)
    orders = order_spectrum(recorded(healthy), maker, 0)
    hertz = frequency_spectrum(recorded(healthy), 0)
    assert orders.level(96, 0.1) > 5 * orders.level(95, 0.1), "the planets' phases leave multiples of three"
    smeared = hertz.level(96 * 4, 0.1 * 4)
    turns = np.diff(healthy.tacho)
    assert mean_speed(recorded(healthy), MapMaker(STAGE, speed=3.9)) == pytest.approx(
        1 / turns.mean(), rel=2e-3
    )
    assert orders.level(96, 0.1) > 1.5 * smeared
    marks = marked_orders(maker, {"BPFO": 3.58})
    assert marks["mesh"] == [95, 190, 285]
    assert {94, 96} <= set(marks["sidebands"])
    assert marks["BPFO"][1] == pytest.approx(7.16)


def test_the_command_draws_a_spectrum_described_in_yaml(tmp_path: Path, healthy: SimulatedSignal) -> None:
    np.savez(tmp_path / "h4hz.npz", signal=healthy.signal[:, None], tacho=healthy.tacho)
    (tmp_path / "rig.yaml").write_text(f"sample_rate: {healthy.rate}\ngear: {{teeth: [31, 95], speed: 4}}\n")
    words = [
        "spectrum",
        str(tmp_path / "h4hz.npz"),
        "--out",
        str(tmp_path / "s.png"),
        "--bearing",
        "BPFO=3.58",
    ]
    done = CliRunner().invoke(app, [*words, "--describe", str(tmp_path / "rig.yaml")])
    assert done.exit_code == 0, done.output
    assert "mesh at order 95" in done.output
    assert (tmp_path / "s.png").stat().st_size > 10_000
    assert "BPFO" in (tmp_path / "s.svg").read_text(encoding="utf-8")
    again = CliRunner().invoke(app, [*words, "--describe", str(tmp_path / "rig.yaml")])
    assert again.exit_code == 0, again.output  # its own figure may be drawn again


def test_a_spectrum_is_not_drawn_over_a_picture_of_the_user(tmp_path: Path, healthy: SimulatedSignal) -> None:
    np.savez(tmp_path / "h4hz.npz", signal=healthy.signal[:, None], tacho=healthy.tacho)
    (tmp_path / "s.svg").write_text("<svg>mine</svg>")
    done = CliRunner().invoke(
        app, ["spectrum", str(tmp_path / "h4hz.npz"), "--out", str(tmp_path / "s.png"), "--sample-rate", "9"]
    )
    assert done.exit_code == 1
    assert (tmp_path / "s.svg").read_text() == "<svg>mine</svg>"
