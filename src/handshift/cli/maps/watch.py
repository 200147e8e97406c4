"""handshift maps watch: score maps as they arrive."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift.core.errors import HandshiftError
from handshift.healthmap.vibration.map_maker import MapStyle

if TYPE_CHECKING:
    from handshift.healthmap.watch.watch_log import Observation

ALARM = "Alarm"


def watch(
    model: Annotated[Path, typer.Argument(help="Folder that `handshift maps train` wrote.")],
    folder: Annotated[Path, typer.Argument(help="Folder in which maps arrive.")],
    out: Annotated[Path, typer.Option(help="Folder for watch.jsonl and watch.html.")],
    once: Annotated[bool, typer.Option("--once", help="Score what is there and end.")] = False,
    every: Annotated[int, typer.Option(min=1, help="Seconds between looks at the folder.")] = 10,
    domain: Annotated[
        str | None, typer.Option(help="Domain of all maps.", show_default="the folder a map lies in")
    ] = None,
    recordings: Annotated[
        Path | None,
        typer.Option(
            metavar="YAML",
            help="Watch vibration recordings, described as for `build --describe`; sensors are joined.",
        ),
    ] = None,
    style: Annotated[
        MapStyle, typer.Option(help="Of the recordings' maps, as for `build`.")
    ] = MapStyle.TEETH,
    turns: Annotated[int, typer.Option(min=1, help="In one map, as for `build`.")] = 10,
    window: Annotated[int, typer.Option(rich_help_panel=ALARM, help="Maps that the alarm looks at.")] = 5,
    on: Annotated[int, typer.Option(rich_help_panel=ALARM, help="Flagged maps that start it.")] = 3,
    off: Annotated[int, typer.Option(rich_help_panel=ALARM, help="Flagged maps at which it ends.")] = 1,
    per_day: Annotated[
        float | None,
        typer.Option(min=0, rich_help_panel=ALARM, help="Maps per day.", show_default="from the files"),
    ] = None,
    threads: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Watch a machine: score maps as they arrive, raise an alarm, find the change point and the tooth.

    OUT/watch.jsonl has a line for every map and is where a restart continues; OUT/watch.html is a page that
    reloads itself. The alarm starts when ON of the last WINDOW maps are flagged and ends at OFF. End it with
    Ctrl-C.

    Example: handshift maps watch model arriving --out watched
    """
    from handshift.cli.destination import check_folder
    from handshift.cli.maps.gear_options import map_maker
    from handshift.healthmap.trained_model import TrainedModel
    from handshift.healthmap.vibration.description import RecordingDescription
    from handshift.healthmap.watch.alarm import AlarmRule
    from handshift.healthmap.watch.watcher import PAGE, Watcher

    if not folder.is_dir():
        raise HandshiftError(f"{folder}: no such folder; check the spelling")
    check_folder(out)
    trained = TrainedModel.load(model, threads)
    known = trained.metadata.thresholds.by_domain
    if domain is not None and domain not in known:
        raise HandshiftError(f"--domain {domain}: the model was trained on {', '.join(known)}")
    description = None if recordings is None else RecordingDescription.load(recordings)
    maker = None if description is None else map_maker(description.gear, style=style, turns=turns)
    rule = AlarmRule(window, on, off)
    watcher = Watcher(trained, folder, out, rule, domain, per_day, maker, description)
    for weak in trained.metadata.thresholds.weak(domains=[domain] if domain else None):
        typer.echo(f"handshift: warning: {weak}", err=True)
    log = watcher.open_log()
    alarm = bool(log.observations and log.observations[-1].alarm)
    if log.observations:
        typer.echo(f"{out}: continues after {len(log.observations)} maps; alarm {'on' if alarm else 'off'}")
    try:
        while True:
            for one in watcher.score_new(log, every):
                _print(one, alarm)
                alarm = one.alarm
            if once:
                break
            time.sleep(every)
    except KeyboardInterrupt:
        typer.echo()
    rate = watcher.false_alarms_per_day(log.observations)
    unknown = "unknown (give --per-day)"
    share = watcher.false_alarms.share
    stated = (
        unknown
        if rate is None
        else f"{rate:.2g} per day, on {share:.2g} of the time, if normal maps are independent"
    )
    typer.echo(f"{len(log.observations)} maps; expected false alarms: {stated}; {out / PAGE}")


def _print(one: Observation, alarm: bool) -> None:
    if one.error:
        typer.echo(f"handshift: {one.error}", err=True)
        return
    mark = "FLAGGED" if one.flagged else "normal "
    typer.echo(f"{mark}  index {one.index:.2f}  {one.path}{f'  {one.tooth}' if one.tooth else ''}")
    if one.alarm != alarm:
        typer.echo("ALARM" if one.alarm else "alarm ends")
