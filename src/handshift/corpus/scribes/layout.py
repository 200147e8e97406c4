"""Positions of the lines on a page, and how their baselines slope, sag and vary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import CorpusError
from handshift.corpus.scribes.flow import PlacedWord
from handshift.corpus.scribes.paper import Paper
from handshift.corpus.scribes.scribe import Scribe

Baseline = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From x (mm, within the text block) to y (mm, on the page)."""

_RULED_PITCH = 8.7
_SQUARE = 5.0


@dataclass(frozen=True)
class Layout:
    """The sheet and the text block on it, in millimetres."""

    width_mm: float = 215.9
    height_mm: float = 237.0
    left_mm: float = 18.0
    right_mm: float = 16.0
    top_mm: float = 22.0
    bottom_mm: float = 12.0
    line_pitch_mm: float | None = None
    """Distance of lines; by default the scribe's habit, or the paper's rules."""
    slope_deg: float = 0.0
    """Rise of all lines towards the right, on top of the scribe's habit."""
    sag_mm: float = 0.0
    """How far the middle of each line hangs below its ends."""

    @property
    def text_width_mm(self) -> float:
        """Width of the text block."""
        return self.width_mm - self.left_mm - self.right_mm

    def pixels(self, dpi: float) -> tuple[int, int]:
        """Height and width of the scan in pixels."""
        return round(self.height_mm * dpi / 25.4), round(self.width_mm * dpi / 25.4)

    def baselines_mm(self, lines: int, scribe: Scribe, paper: Paper) -> NDArray[np.float64]:
        """The y of each baseline in millimetres.

        Raises:
            CorpusError: The page is too short for the lines.
        """
        habit = scribe.traits.line_gap * scribe.traits.x_height_mm
        pitch = self.line_pitch_mm or habit
        if self.line_pitch_mm is None and paper is Paper.RULED:
            pitch = _RULED_PITCH
        elif self.line_pitch_mm is None and paper is Paper.SQUARED:
            pitch = _SQUARE * max(1, round(habit / _SQUARE))
        # Sloping lines need room above their right end, or below it.
        rise = float(np.tan(np.deg2rad(self.slope_deg))) * self.text_width_mm
        first, last = self.top_mm + max(rise, 0.0), self.height_mm - self.bottom_mm + min(rise, 0.0)
        room = max(0, int((last - first) / pitch) + 1)
        if lines > room:
            raise CorpusError(
                f"the text needs {lines} lines, the page has room for {room}; "
                "shorten the text or use a taller page"
            )
        if paper is Paper.SQUARED:
            first = 2.5 + _SQUARE * np.round((first - 2.5) / _SQUARE)
        return np.asarray(first + pitch * np.arange(lines), dtype=np.float64)

    def rules_mm(self, baselines: NDArray[np.float64]) -> NDArray[np.float64]:
        """The y of the printed rules of ruled paper: one under each line, and on to the end of the page."""
        pitch = float(baselines[1] - baselines[0]) if len(baselines) > 1 else _RULED_PITCH
        return np.arange(baselines[0], self.height_mm - 3, pitch) + 0.3


def baseline_bends(
    baselines: NDArray[np.float64],
    words: Sequence[PlacedWord],
    layout: Layout,
    paper: Paper,
    draw: np.random.Generator,
) -> list[Baseline]:
    """For each line the function that gives its baseline; its first word's scribe determines the slope."""
    freedom = 0.2 if paper in (Paper.RULED, Paper.SQUARED) else 1.0
    leaders = {word.line: word.scribe.traits for word in reversed(words)}
    bends = []
    for line, y in enumerate(baselines):
        leader = leaders.get(line, words[0].scribe.traits)
        climb = freedom * (leader.climb_deg + 0.25 * draw.standard_normal())
        rise = np.tan(np.deg2rad(layout.slope_deg + climb))
        wave = leader.wander * leader.x_height_mm * draw.standard_normal(3) * 0.8
        phase = draw.uniform(0, 2 * np.pi, 3)
        bends.append(_bend(float(y), float(rise), wave, phase, layout))
    return bends


def _bend(
    y: float, rise: float, wave: NDArray[np.float64], phase: NDArray[np.float64], layout: Layout
) -> Baseline:
    def at(x: NDArray[np.float64]) -> NDArray[np.float64]:
        share = x / layout.text_width_mm
        turns = np.outer(share, 2 * np.pi * np.arange(1, len(wave) + 1)) + phase  # (n, waves)
        return y - rise * x + layout.sag_mm * np.sin(np.pi * share) + np.sin(turns) @ wave

    return at
