"""Recordings become a data set of maps: a domain for every load and sensor, split by time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from handshift.core.errors import MapError
from handshift.healthmap.dataset.dataset import GOOD
from handshift.healthmap.dataset.writing import DatasetFolder, new_dataset
from handshift.healthmap.vibration.maps_of_recording import MapMaker
from handshift.healthmap.vibration.recording import Floats64, read_recording

NAME = re.compile(
    r"(?:(?P<good>healthy|normal|good|h)|broken|faulty|fault|bad|b)[-_]?(?P<load>[^a-z].*|)", re.IGNORECASE
)
CONFOUNDS = (
    "Without a tachometer nobody knows which tooth is row 0: every tooth map is begun at random, so that the "
    "beginning tells nothing.",
    "Normal and faulty maps come from different recordings. Where each was made once, whatever else differs "
    "between the two (assembly, mounting, wear, temperature, day) is told apart just as well as the fault.",
    "Maps of one recording are neighbours in time. They are split by time, one map left out between training "
    "and test; faulty maps are taken from the same part of the recording as the normal test maps.",
)


@dataclass(frozen=True, slots=True)
class NamedRecording:
    """A recording and what its file name tells."""

    path: Path
    load: str
    """What it was recorded under; with the sensor it names the domain."""
    faulty: bool


def named(path: Path) -> NamedRecording:
    """Read ``h30hz50.npz``, ``broken-30.wav``, ``good.npz``: the class first, then the load."""
    match = NAME.fullmatch(path.stem)
    if match is None:
        raise MapError(
            path,
            "its name does not tell its class; begin it with h, healthy, normal, good, b, broken or fault",
        )
    return NamedRecording(path, match["load"] or "all", not match["good"])


def build_dataset(
    recordings: Sequence[Path],
    out: Path,
    maker: MapMaker,
    *,
    rate: float | None = None,
    train_share: float = 0.5,
    advance: Callable[[int], object] = lambda recordings: None,
) -> dict[str, int]:
    """Write the maps of all recordings; returns how many there are of each part."""
    known = sorted((named(path) for path in recordings), key=lambda one: (one.load, one.faulty, one.path))
    _check_normal(known)
    counts = {"train": 0, "test good": 0, "test fault": 0}
    with new_dataset(out) as folder:
        for recording in known:
            maps = maker.maps(read_recording(recording.path, rate))
            for part, count in _put(folder, recording, maps, train_share).items():
                counts[part] += count
            advance(1)
        folder.close(
            {
                "made_by": "handshift maps build",
                "recordings": [recording.path.name for recording in known],
                "style": maker.style,
                "turns_per_map": maker.turns_per_map,
                "averaged": maker.average,
                "train_share": train_share,
                "confounds": CONFOUNDS,
            }
        )
    return counts


def _put(
    folder: DatasetFolder, recording: NamedRecording, maps: Floats64, train_share: float
) -> dict[str, int]:
    border = round(train_share * len(maps))
    if not recording.faulty and border < 2:
        raise MapError(recording.path, f"{len(maps)} maps in it are too few to divide; use fewer --turns")
    learned = range(0 if recording.faulty else border)
    tested = range(border + 1, len(maps))  # the map at the border belongs to neither
    defect = "fault" if recording.faulty else GOOD
    for sensor in range(maps.shape[1]):
        domain = f"{recording.load}-a{sensor + 1}"
        for split, numbers, label in (("train", learned, GOOD), ("test", tested, defect)):
            for number in numbers:
                folder.put(
                    (domain, split, label), f"{recording.path.stem}-{number:04d}", maps[number, sensor],
                    load=recording.load, sensor=sensor + 1, recording=recording.path.name, number=number,
                )  # fmt: skip
    return {"train": len(learned) * maps.shape[1], f"test {defect}": len(tested) * maps.shape[1]}


def _check_normal(recordings: Sequence[NamedRecording]) -> None:
    normal = {recording.load for recording in recordings if not recording.faulty}
    for recording in recordings:
        if recording.load not in normal:
            raise MapError(
                recording.path, f"no normal recording of {recording.load!r} to learn from; add one"
            )
