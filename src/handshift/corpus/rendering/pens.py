"""Pens of every kind, drawn by chance: the same hand must be seen with many of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.corpus.scribes.pen import Pen


@dataclass(frozen=True, slots=True)
class Kind:
    """Ranges from which a pen of this kind is drawn, all even but the choice of ink."""

    inks: tuple[str, ...]
    width_mm: tuple[float, float]
    darkness: tuple[float, float]
    contrast: tuple[float, float]
    grain: tuple[float, float]


KINDS = {
    "ball point": Kind(("black", "blue", "blue"), (0.25, 0.5), (0.6, 0.92), (0.05, 0.25), (0.1, 0.3)),
    "gel pen": Kind(("black", "blue", "blue-black"), (0.35, 0.65), (0.85, 0.97), (0.0, 0.08), (0.02, 0.1)),
    "fountain pen": Kind(("blue-black", "blue", "black"), (0.35, 0.8), (0.7, 0.95), (0.2, 0.4), (0.02, 0.1)),
    "marker": Kind(("black", "blue"), (0.7, 1.2), (0.85, 0.97), (0.0, 0.05), (0.0, 0.08)),
    "pencil": Kind(("pencil",), (0.3, 0.7), (0.5, 0.8), (0.1, 0.3), (0.25, 0.45)),
}


def random_pen(draw: np.random.Generator, kind: str | None = None) -> Pen:
    """Draw a pen.

    Args:
        draw: Source of chance.
        kind: A key of `KINDS`; any where it is not given.

    Returns:
        A pen with width, darkness, contrast and grain drawn evenly from the kind's ranges.
    """
    chosen = KINDS[kind or list(KINDS)[int(draw.integers(len(KINDS)))]]
    return Pen(
        ink=chosen.inks[int(draw.integers(len(chosen.inks)))],
        width_mm=float(draw.uniform(*chosen.width_mm)),
        darkness=float(draw.uniform(*chosen.darkness)),
        contrast=float(draw.uniform(*chosen.contrast)),
        taper=float(draw.uniform(0.1, 0.6)),
        grain=float(draw.uniform(*chosen.grain)),
    )
