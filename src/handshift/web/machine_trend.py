"""The trend of a machine: health index over its files, alarm, change point and the tooth named most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from handshift.web.tables import MachineFile

if TYPE_CHECKING:
    from handshift.healthmap.watch.alarm import AlarmRule


def trend(files: Sequence[MachineFile], reference: dict[str, Any] | None) -> dict[str, Any]:
    """The watched files in order, with the state of the alarm after each.

    Args:
        files: All files of a machine.
        reference: What was learnt; None before.

    Returns:
        ``points`` (file, index, flagged, alarm, tooth), ``alarm``, ``change`` (file and strength), ``tooth``,
        and ``false_alarms``: expected false alarms for each file of a healthy machine.
    """
    from handshift.healthmap.watch.alarm import AlarmRule
    from handshift.healthmap.watch.change_point import change_point

    rule = AlarmRule()
    watched = [file for file in files if not file.normal]
    scored = [file for file in watched if file.record is not None]
    records = [file.record or {} for file in scored]
    states = dict(
        zip(
            (file.id for file in scored),
            rule.states([bool(record["flagged"]) for record in records]),
            strict=True,
        )
    )
    change = change_point([record["index"] for record in records])
    teeth = Counter(record["tooth"] for record in records if record.get("tooth"))
    alarm = False
    points = []
    for file in watched:
        record = file.record or {}
        alarm = states.get(file.id, alarm)
        points.append(
            {
                "file": file.id,
                "name": file.name,
                "index": record.get("index"),
                "flagged": bool(record.get("flagged")),
                "tooth": record.get("tooth"),
                "alarm": alarm,
                "error": file.error,
            }
        )
    rates = [rate for rate in (reference or {}).get("guaranteed", {}).values() if rate is not None]
    # A recording is flagged by any of its sensors: the rates of the sensors add up at most.
    flag_rate = min(1.0, sum(rates)) if rates else None
    return {
        "points": points,
        "alarm": alarm,
        "rule": [rule.on, rule.window, rule.off],
        "change": None if change is None else {"file": scored[change.index].id, "strength": change.strength},
        "tooth": teeth.most_common(1)[0][0] if teeth else None,
        "false_alarms": _false_alarms(rule, reference or {}),
        "flag_rate": flag_rate,
    }


def _false_alarms(rule: AlarmRule, reference: dict[str, Any]) -> float | None:
    """Expected false alarms per file; thresholds on few held-out maps make them more."""
    held_out = reference.get("held_out", {}).values()
    if not held_out:
        return None
    return max(
        rule.expected_false_alarms(count, reference["target"], len(held_out)).per_map for count in held_out
    )
