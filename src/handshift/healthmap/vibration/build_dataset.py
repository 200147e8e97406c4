"""Build a data set of maps from recordings: one domain for each load and sensor, split by time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from handshift.core.errors import MapError
from handshift.healthmap.dataset.dataset_folder import DatasetFolder, new_dataset
from handshift.healthmap.dataset.map_dataset import GOOD
from handshift.healthmap.vibration.channels import Floats64
from handshift.healthmap.vibration.description import RecordingDescription
from handshift.healthmap.vibration.map_maker import MapMaker
from handshift.healthmap.vibration.recording import read_recording

NAME = re.compile(
    r"(?:(?P<good>healthy|normal|good|h)|broken|faulty|fault|bad|b)[-_]?(?P<load>[^a-z].*|)", re.IGNORECASE
)
CONFOUNDS = (
    "Without a tachometer the tooth of row 0 is unknown: every tooth map begins at a random tooth, so that "
    "its start carries no information. With one, planet tooth 1 is still another one in every recording: the "
    "pulse of the carrier says which ring tooth comes first, not which planet tooth.",
    "Normal and faulty maps come from different recordings. Where each was made once, whatever else differs "
    "between the two (assembly, mounting, wear, temperature, day) is detected just as well as the fault.",
    "Maps of one recording are neighbours in time. They are split by time, one map left out between training "
    "and test; faulty maps are taken from the same part of the recording as the normal test maps.",
)


@dataclass(frozen=True, slots=True)
class NamedRecording:
    """A recording with the class and load given by its file name."""

    path: Path
    load: str
    """Operating condition; with the sensor it names the domain."""
    faulty: bool


def parse_recording_name(path: Path) -> NamedRecording:
    """Parse a file name such as ``h30hz50.npz``, ``broken-30.wav``, ``good.npz``: the class, then the load.

    Raises:
        MapError: The name does not begin with a class.
    """
    match = NAME.fullmatch(path.stem)
    if match is None:
        raise MapError(
            path,
            "its name does not give its class; begin it with h, healthy, normal, good, b, broken or fault",
        )
    return NamedRecording(path, match["load"] or "all", not match["good"])


def build_dataset(
    recordings: Sequence[Path],
    out: Path,
    maker: MapMaker,
    *,
    rate: float | None = None,
    description: RecordingDescription | None = None,
    train_share: float = 0.5,
    advance: Callable[[int], object] = lambda recordings: None,
) -> dict[str, int]:
    """Write the maps of all recordings as a data set.

    Args:
        recordings: Files named by class and load.
        out: Folder to make.
        maker: How recordings become maps.
        rate: Sampling rate of files that do not store it.
        description: Sampling rate, sensors and tachometer that the files do not store.
        train_share: Share of each normal recording, from its beginning, to train on.
        advance: Called after each recording, to move a progress bar.

    Returns:
        Number of maps by part.

    Raises:
        MapError: A recording cannot be read, tracked or divided, or a load has no normal recording.
        WriteError: The folder exists and is not empty, or cannot be written.
    """
    known = sorted(
        (parse_recording_name(path) for path in recordings), key=lambda one: (one.load, one.faulty, one.path)
    )
    _check_normal(known)
    counts = {"train": 0, "test good": 0, "test fault": 0}
    with new_dataset(out) as folder:
        for recording in known:
            maps = maker.maps(read_recording(recording.path, rate, description))
            for part, count in _put(folder, recording, maps, train_share).items():
                counts[part] += count
            advance(1)
        folder.close(
            {
                "made_by": "handshift maps build",
                "recordings": [recording.path.name for recording in known],
                "axes": list(maker.axes),
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
        raise MapError(recording.path, f"{len(maps)} maps are too few to split; use fewer --turns")
    learned = range(0 if recording.faulty else border)
    tested = range(border + 1, len(maps))  # the map at the border is left out
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
