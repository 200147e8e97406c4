"""The pen: width and darkness of its line along a stroke."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import CorpusError
from handshift.corpus.scribes.skeleton import Points

INKS: dict[str, tuple[int, int, int]] = {
    "black": (38, 38, 42),
    "blue-black": (36, 42, 78),
    "blue": (38, 58, 140),
    "pencil": (84, 84, 88),
}


@dataclass(frozen=True)
class Pen:
    """A pen and how the hand presses it."""

    ink: str = "blue-black"
    width_mm: float = 0.45
    darkness: float = 0.85
    """Opacity of the line at usual pressure."""
    contrast: float = 0.12
    """How much wider and darker downstrokes are than upstrokes."""
    taper: float = 0.4
    """Share of the width lost where the pen touches down and lifts."""
    grain: float = 0.15
    """How much of the paper's tooth shows through the line."""

    def __post_init__(self) -> None:
        if self.ink not in INKS:
            raise CorpusError(f"ink {self.ink!r} is not one of {', '.join(INKS)}")

    @property
    def colour(self) -> tuple[int, int, int]:
        """Red, green and blue of the full ink."""
        return INKS[self.ink]

    def replaced(self, draw: np.random.Generator) -> Pen:
        """Another pen of the same kind, as used in another session."""
        return replace(
            self,
            width_mm=self.width_mm * float(np.exp(0.12 * draw.standard_normal())),
            darkness=float(np.clip(self.darkness + 0.06 * draw.standard_normal(), 0.55, 0.97)),
            contrast=float(np.clip(self.contrast + 0.02 * draw.standard_normal(), 0, 0.4)),
        )


def habitual_pen(draw: np.random.Generator) -> Pen:
    """Draw a scribe's habitual pen."""
    ink = ("black", "black", "blue-black", "blue", "blue", "pencil")[int(draw.integers(6))]
    fluid = ink == "blue-black"
    return Pen(
        ink=ink,
        width_mm=float(draw.uniform(0.34, 0.56)),
        darkness=float(draw.uniform(0.72, 0.95)) - (0.12 if ink == "pencil" else 0.0),
        contrast=float(draw.uniform(0.05, 0.16) + (0.12 if fluid else 0.0)),
        taper=float(draw.uniform(0.15, 0.6)),
        grain=float(draw.uniform(0.05, 0.2) + (0.2 if ink == "pencil" else 0.0)),
    )


def pressed(
    stroke: Points, pen: Pen, draw: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return width (mm) and opacity (0 to 1) of the line at each of the stroke's n points (mm, y upwards).

    width = pen width × (1 + contrast · downwardness + slow noise) × taper at both ends.
    """
    step = np.gradient(stroke, axis=0)  # (n, 2)
    speed = np.hypot(step[:, 0], step[:, 1]) + 1e-9
    downwardness = -step[:, 1] / speed
    slow = _slow_noise(len(stroke), draw)
    length = np.cumsum(speed)
    from_end = np.minimum(length - length[0], length[-1] - length) / (1.2 * pen.width_mm + 1e-9)
    taper = pen.taper * min(1.0, float(length[-1]) / (5 * pen.width_mm))  # a dot has no thin ends
    ends = 1 - taper * np.exp(-from_end)
    width = pen.width_mm * (1 + pen.contrast * downwardness + 0.09 * slow) * ends
    opacity = pen.darkness * (1 + 0.35 * pen.contrast * downwardness + 0.07 * slow) * (0.5 + 0.5 * ends)
    return np.maximum(width, 0.08), np.clip(opacity, 0.05, 1.0)


def _slow_noise(count: int, draw: np.random.Generator) -> NDArray[np.float64]:
    knots = draw.standard_normal(count // 12 + 3)
    return np.interp(np.linspace(0, len(knots) - 1, count), np.arange(len(knots)), knots)
