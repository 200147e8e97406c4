"""The real gearbox as if it were watched: healthy pieces of recordings, then those of the broken assembly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from watch_simulated import alarm_starts

from handshift.healthmap.health_map import write_map
from handshift.healthmap.train_detector import DetectorTraining
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.vibration.build_dataset import parse_recording_name
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.recording import Recording, read_recording, write_recording
from handshift.healthmap.watch.alarm import AlarmRule
from handshift.healthmap.watch.watcher import Watcher

RATE, TEETH, SPEED, SENSOR = 12_800, 32, 30, 2
PIECE = 20
"""Turns of the shaft in one arriving recording."""
TARGET = 0.1
"""A recording's first half gives about ten held-out maps, which promise no less."""
MAKER = MapMaker(TEETH, SPEED, MapStyle.ORDERS, 1, sensor=SENSOR)
RULE = AlarmRule()


def watched_loads(home: Path, folder: Path, sensors: str) -> dict[str, Any]:
    """Watch the gearbox at each load.

    Args:
        home: Empty folder to work in.
        folder: Recordings of the gearbox.
        sensors: ``all`` joined, or the name of the only one.

    Returns:
        By load: pieces, false alarms among the healthy ones, and broken pieces until the alarm.
    """
    recordings: dict[str, dict[bool, Path]] = {}
    for path in sorted(folder.glob("*.npz")):
        one = parse_recording_name(path)
        recordings.setdefault(one.load, {})[one.faulty] = path
    return {
        load: _watched(home / load, both[False], both[True], None if sensors == "all" else sensors)
        for load, both in recordings.items()
    }


def _watched(home: Path, healthy: Path, broken: Path, sensor: str | None) -> dict[str, Any]:
    load = parse_recording_name(healthy).load
    normal, faulty = (_pieces(read_recording(path, RATE)) for path in (healthy, broken))
    half = len(normal) // 2
    model = _trained(home, normal[:half], load, sensor)
    arriving = [*normal[half + 1 :], *faulty]  # the piece at the border is left out
    onset = len(arriving) - len(faulty)
    for number, piece in enumerate(arriving):
        path = home / "in" / f"{number:03d}-{load}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_recording(path, piece, RATE)
        os.utime(path, (600.0 * number,) * 2)
    watcher = Watcher(model, home / "in", home / "out", RULE, maker=MAKER)
    observations = watcher.score_new(watcher.open_log(), 10)
    starts = alarm_starts(observations)
    after = next((at for at in range(onset, len(observations)) if observations[at].alarm), None)
    return {
        "healthy_pieces": onset,
        "healthy_pieces_flagged": sum(one.flagged for one in observations[:onset]),
        "false_alarms": sum(at < onset for at in starts),
        "broken_pieces": len(faulty),
        "broken_pieces_flagged": sum(one.flagged for one in observations[onset:]),
        "alarm_after_broken_pieces": None if after is None else after - onset + 1,
        "errors": sum(one.error is not None for one in observations),
    }


def _trained(home: Path, pieces: list[Any], load: str, sensor: str | None) -> TrainedModel:
    """Learn from pieces as they arrive: the shaft is followed worse in 20 turns than in a whole recording."""
    for number, piece in enumerate(pieces):
        maps = MAKER.maps(Recording(piece, RATE, Path(f"{load}.npz")))
        for turn, sensors in enumerate(maps):
            for channel, values in enumerate(sensors):
                domain = f"{load}-a{channel + 1}"
                write_map(home / "maps" / domain / "train" / "good" / f"{number:03d}-{turn:03d}.tif", values)
    domains = () if sensor is None else (f"{load}-{sensor}",)
    DetectorTraining(
        home / "maps", home / "model", detector="row-covariance", domains=domains, target=TARGET
    ).run()
    return TrainedModel.load(home / "model")


def _pieces(recording: Recording) -> list[Any]:
    samples = round(PIECE * recording.rate / SPEED)
    starts = range(0, len(recording.signal) - samples + 1, samples)
    return [recording.signal[at : at + samples] for at in starts]
