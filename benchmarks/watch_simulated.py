"""A simulated gearbox that is watched until it fails, and one that does not fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handshift.healthmap.simulate.parameters import Condition
from handshift.healthmap.simulate.run_to_failure import RunToFailure
from handshift.healthmap.simulate.simulate_dataset import SimulatedRun
from handshift.healthmap.train_detector import DetectorTraining
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.watch.watch_log import Observation
from handshift.healthmap.watch.watcher import Watcher

SEEDS = (42, 43, 44, 123, 456)
CONDITIONS = tuple(Condition)
DETECTORS = ("row-column", "patchcore")
DOMAIN, MAPS, ONSET, SIZE, TOOTH = "C", 300, 150, 1.5, 12
TRAINED, TARGET, REFRESH = 400, 0.05, 10


def trained(home: Path, detector: str, condition: Condition, seed: int) -> TrainedModel:
    """A model of domain C of one gearbox in one condition."""
    SimulatedRun(train=TRAINED, test=2, seed=seed, conditions=(condition,)).write(home / "maps")
    DetectorTraining(home / "maps", home / "model", detector=detector, domains=(DOMAIN,), target=TARGET).run()
    return TrainedModel.load(home / "model")


def watched_gearbox(home: Path, detector: str, condition: Condition, seed: int) -> dict[str, Any]:
    """Figures of a run to failure and of a healthy run.

    Args:
        home: Empty folder to work in.
        detector: Of `DETECTORS`.
        condition: Cold or warm.
        seed: Of the gearbox.

    Returns:
        Maps and fault size until the alarm, false alarms beside those expected, change point, and the share
        of flagged maps after the alarm on which the worn tooth was named.
    """
    model = trained(home, detector, condition, seed)
    failing = watched(model, home / "failing", ONSET, condition, seed)
    healthy = watched(model, home / "healthy", MAPS, condition, seed)
    starts = alarm_starts(failing)
    after = next((at for at in starts if at >= ONSET), None)
    late = [one for one in failing[after or MAPS :] if one.flagged]
    watcher = Watcher(model, home, home / "page")
    changed = watcher.change(failing)
    expected = MAPS * watcher.false_alarms.per_map
    return {
        "alarm_after_maps": None if after is None else after - ONSET,
        "fault_size_at_alarm": None if after is None else round(size_at(after), 3),
        "false_alarms_before_the_fault": sum(at < ONSET for at in starts),
        "false_alarms_of_300_healthy_maps": len(alarm_starts(healthy)),
        "false_alarms_stated_for_300_maps": round(expected, 3),
        "flagged_of_300_healthy_maps": sum(one.flagged for one in healthy),
        "change_point_after_maps": None if changed is None else changed[0].index - ONSET,
        "worn_tooth_named": round(
            sum(one.tooth == f"row {TOOTH + 1}" for one in late) / max(1, len(late)), 3
        ),
    }


def watched(
    model: TrainedModel, folder: Path, onset: int, condition: Condition, seed: int
) -> list[Observation]:
    """Simulate a run whose fault begins at map ``onset``, and watch it."""
    RunToFailure(MAPS, onset, SIZE, DOMAIN, tooth=TOOTH, condition=condition, seed=seed).write(folder)
    watcher = Watcher(model, folder, folder.with_suffix(".watched"))
    return watcher.score_new(watcher.open_log(), REFRESH)


def alarm_starts(observations: list[Observation]) -> list[int]:
    """Numbers of the files at which an alarm starts."""
    states = [False, *(one.alarm for one in observations)]
    return [at for at in range(len(observations)) if states[at + 1] and not states[at]]


def size_at(number: int) -> float:
    """Size of the fault at a map, 1 as published."""
    return SIZE * max(0, number - ONSET + 1) / (MAPS - ONSET)
