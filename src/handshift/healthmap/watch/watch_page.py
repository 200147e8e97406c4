"""The HTML page of a watched machine: trend of the health index, alarm, change point and the last files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Protocol

from handshift.core.version import __version__
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.watch.alarm import AlarmRule, FalseAlarms
from handshift.healthmap.watch.change_point import ChangePoint
from handshift.healthmap.watch.watch_log import Observation

WIDTH, HEIGHT = 900.0, 240.0
LISTED = 30
DRAWN = 3000
"""Latest maps in the trend: three weeks of one every ten minutes. A page of a year would weigh 6 MB."""
LAST_TEETH = 20
"""Flagged maps over which the tooth named most often is reported."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:960px;padding:0 1rem;color:#1a1a1a}
.state{font-size:1.5rem;font-weight:600;padding:.6rem 1rem;border-radius:.5rem;background:#e6f2ea}
.state.alarm{background:#f8dcd6} svg{width:100%;height:auto;border:1px solid #ddd}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;border-bottom:1px solid
#eee} .n{text-align:right;font-variant-numeric:tabular-nums}.quiet{color:#666}
"""


class Watched(Protocol):
    """What the page shows of a watcher."""

    @property
    def model(self) -> TrainedModel:
        """Trained on normal maps of the machine."""

    @property
    def rule(self) -> AlarmRule:
        """When the alarm starts and ends."""

    @property
    def flag_rate(self) -> float:
        """Probability that a normal map is flagged, at most."""

    @property
    def false_alarms(self) -> FalseAlarms:
        """The stated rate per map, and the share of maps while a false alarm is on."""

    def false_alarms_per_day(self, observations: list[Observation]) -> float | None:
        """The stated rate, where the maps' times are known."""

    def change(self, observations: list[Observation]) -> tuple[ChangePoint, Observation] | None:
        """The change point and its map."""


def watch_html(watcher: Watched, observations: Sequence[Observation], refresh: int) -> str:
    """Render the page.

    Args:
        watcher: Model, rule and rates.
        observations: In order of time.
        refresh: Seconds after which the browser reloads the page.

    Returns:
        A self-contained HTML text without scripts.
    """
    scored = [one for one in observations if one.index is not None]
    alarm = bool(observations and observations[-1].alarm)
    state = "ALARM" if alarm else "No alarm"
    lines = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="generator" content="handshift">',
        f'<meta http-equiv="refresh" content="{refresh}">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<title>{state} · handshift maps watch</title><style>{STYLE}</style></head><body>",
        "<h1>Health of the machine</h1>",
        f'<p class="state{" alarm" if alarm else ""}">{state}</p>',
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in _summary(watcher, list(observations)))}</ul>",
        _trend(scored, watcher),
        '<p class="quiet">Health index: 0 is the median of normal maps, 1 the threshold (dashed). '
        f"{_span(scored)} Red: flagged. Grey background: alarm on. Vertical line: change point.</p>",
        _table(observations[-LISTED:]),
        f'<p class="quiet">handshift {escape(__version__)} · model {escape(str(watcher.model.folder))}</p>',
        "</body></html>",
    ]
    return "\n".join(lines) + "\n"


def _summary(watcher: Watched, observations: list[Observation]) -> list[str]:
    scored = [one for one in observations if one.index is not None]
    flagged = [one for one in scored if one.flagged]
    lines = [
        f"{len(scored)} maps scored, {len(flagged)} flagged, {len(observations) - len(scored)} unreadable"
    ]
    rule = watcher.rule
    lines.append(f"Alarm: {rule.on} of the last {rule.window} maps flagged; it ends at {rule.off}")
    false_alarms = watcher.false_alarms_per_day(observations)
    if false_alarms is None:
        lines.append("False alarms per day: unknown, the times of the files tell no rate yet; give --per-day")
    else:
        lines.append(
            f"Expected false alarms: {false_alarms:.2g} per day, on {watcher.false_alarms.share:.2g} of the "
            f"time, if normal maps are independent (each is flagged with probability {watcher.flag_rate:.2g} "
            "at most)"
        )
    thresholds = watcher.model.metadata.thresholds
    weak = sorted(thresholds.weak(), key=lambda one: one.count)
    if weak:
        share = f"{len(weak)} of {len(thresholds.by_domain)} thresholds"
        lines.append(f"Too few normal maps under {share}; {weak[0]}")
    changed = watcher.change(observations)
    if changed:
        point, first = changed
        lines.append(f"Change point: {first.path}, {_clock(first.time)} (z = {point.strength:.1f})")
    teeth = Counter(one.tooth for one in flagged[-LAST_TEETH:] if one.tooth)
    if teeth:
        name, count = teeth.most_common(1)[0]
        lines.append(
            f"Stands out: {name}, on {count} of the last {min(len(flagged), LAST_TEETH)} flagged maps"
        )
    return lines


def _trend(scored: Sequence[Observation], watcher: Watched) -> str:
    """SVG of the health index over the files."""
    changed = watcher.change(list(scored))
    before = max(0, len(scored) - DRAWN)
    scored = scored[before:]
    values = [float(one.index or 0) for one in scored]
    top = max([1.5, *values]) * 1.05
    low = min([-1.0, *values]) - 0.04 * top  # the lowest circle whole
    step = WIDTH / max(len(values), 1)

    def height(value: float) -> float:
        return HEIGHT * (1 - (value - low) / (top - low))

    parts = [f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="Health index over time">']
    parts += [
        f'<rect x="{at * step:.1f}" y="0" width="{step + 0.2:.1f}" height="{HEIGHT:g}" fill="#eee"/>'
        for at, one in enumerate(scored)
        if one.alarm
    ]
    parts += [
        f'<text x="4" y="{max(height(mark), 12) - 3:.1f}" font-size="12" fill="#555">{mark:.3g}</text>'
        for mark in {1.0, max([1.0, *values])}
    ]
    line = f'y1="{height(1):.1f}" y2="{height(1):.1f}"'
    parts.append(f'<line x1="0" x2="{WIDTH:g}" {line} stroke="#555" stroke-dasharray="6 4"/>')
    if changed and changed[0].index >= before:
        x = (changed[0].index - before) * step
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{HEIGHT:g}" stroke="#0072b2"/>')
    parts += [
        f'<circle cx="{(at + 0.5) * step:.1f}" cy="{height(value):.1f}" r="2.5" '
        f'fill="{"#d55e00" if one.flagged else "#009e73"}"/>'
        for at, (one, value) in enumerate(zip(scored, values, strict=True))
    ]
    return "".join(parts) + "</svg>"


def _span(scored: Sequence[Observation]) -> str:
    """Which maps the trend shows, and from when."""
    if not scored:
        return "No map yet."
    drawn = scored[-DRAWN:]
    times = f"from {_clock(drawn[0].time)} to {_clock(drawn[-1].time)}, oldest map left"
    return (
        f"The last {DRAWN:,} of {len(scored):,} maps, {times}." if len(scored) > DRAWN else f"Maps {times}."
    )


def _table(observations: Sequence[Observation]) -> str:
    rows = [
        f"<tr><td>{_clock(one.time)}</td><td>{escape(one.path)}</td><td>{escape(one.domain or '?')}</td>"
        f'<td class="n">{"" if one.index is None else f"{one.index:.2f}"}</td>'
        f"<td>{escape(one.error or ('flagged' if one.flagged else 'normal'))}</td>"
        f"<td>{escape(one.tooth or '')}</td><td>{'on' if one.alarm else ''}</td></tr>"
        for one in reversed(observations)
    ]
    names = ("time", "file", "domain", "index", "finding", "stands out", "alarm")
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>{''.join(rows)}</table>"


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
