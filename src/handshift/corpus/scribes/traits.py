"""`Traits`: the parameters in which scribes differ, and their drift between sessions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from handshift.corpus.scribes.pen import Pen, habitual_pen
from handshift.corpus.scribes.seeds import chance


@dataclass(frozen=True)
class Traits:
    """The habits of one hand; lengths without a unit are in heights of a small letter."""

    x_height_mm: float
    slant_deg: float
    """Lean of the downstrokes from upright, to the right."""
    width: float
    ascender: float
    """Factor on what rises above the small letters; 1 doubles their height."""
    descender: float
    capital: float
    letter_gap: float
    word_gap: float
    line_gap: float
    joined_shapes: float
    """Share of letters drawn in a joining hand's shape, 0 to 1."""
    joining: float
    """Share of letter pairs joined where both shapes allow it."""
    second_shape: float
    """Share of letters drawn in the scribe's second-best shape."""
    lead_in: bool
    """Words begin with an upstroke."""
    tail: bool
    """Words end with the pen moving on."""
    rounding: float
    """How far sharp turns are rounded off by speed."""
    bow: float
    """Curvature of long downstrokes."""
    quirk: float
    """Strength of the fixed personal distortion of every letter."""
    unsteadiness: float
    """Strength of the variation between two drawings of one letter; 1 is usual."""
    tremor: float
    wander: float
    """Wander of letters about the baseline."""
    climb_deg: float
    """Habitual rise of the lines."""
    running: float
    """Share of Hangul pen lifts that a fast hand draws through."""
    pen: Pen


@lru_cache(maxsize=4096)
def traits_of(number: int) -> Traits:
    """Draw the habits of scribe ``number``."""
    draw = chance("traits", number)
    # Most hands either join or print; few do half and half.
    joined_shapes = float(draw.beta(0.7, 0.7))
    return Traits(
        x_height_mm=float(np.clip(2.75 * np.exp(0.17 * draw.standard_normal()), 2.1, 3.8)),
        slant_deg=float(np.clip(6 + 12 * draw.standard_normal(), -20, 36)),
        width=float(np.clip(1.02 * np.exp(0.15 * draw.standard_normal()), 0.8, 1.4)),
        ascender=float(draw.uniform(0.7, 1.12)),
        descender=float(draw.uniform(0.7, 1.1)),
        capital=float(draw.uniform(0.88, 1.12)),
        letter_gap=float(draw.uniform(0.14, 0.42)),
        word_gap=float(draw.uniform(0.85, 1.6)),
        line_gap=float(draw.uniform(3.2, 4.1)),
        joined_shapes=joined_shapes,
        joining=float(np.clip(joined_shapes + 0.18 * draw.standard_normal(), 0, 1)),
        second_shape=float(draw.uniform(0, 0.12)),
        lead_in=bool(draw.random() < 0.5 * joined_shapes),
        tail=bool(draw.random() < 0.25 + 0.5 * joined_shapes),
        rounding=float(draw.uniform(0.02, 0.09)),
        bow=float(0.05 * draw.standard_normal()),
        quirk=float(draw.uniform(0.06, 0.12)),
        unsteadiness=float(draw.uniform(0.6, 1.3)),
        tremor=float(draw.exponential(0.0035)),
        wander=float(draw.uniform(0.02, 0.07)),
        climb_deg=float(np.clip(0.2 + 0.5 * draw.standard_normal(), -1, 1.2)),
        running=float(draw.beta(0.8, 1.2)),
        pen=habitual_pen(draw),
    )


def drifted(traits: Traits, number: int, session: int) -> Traits:
    """The habits in another session: another pen of the same kind, slightly different size and slant.

    Session 0 is the habit itself. Drift is several times smaller than the spread between scribes.

    Args:
        traits: The habits in session 0.
        number: The scribe.
        session: The session.

    Returns:
        The habits in that session.
    """
    if session == 0:
        return traits
    draw = chance("session", number, session)
    return replace(
        traits,
        x_height_mm=traits.x_height_mm * float(np.exp(0.045 * draw.standard_normal())),
        slant_deg=traits.slant_deg + 2.0 * float(draw.standard_normal()),
        letter_gap=traits.letter_gap * float(np.exp(0.08 * draw.standard_normal())),
        word_gap=traits.word_gap * float(np.exp(0.10 * draw.standard_normal())),
        line_gap=traits.line_gap * float(np.exp(0.03 * draw.standard_normal())),
        rounding=traits.rounding * float(np.exp(0.15 * draw.standard_normal())),
        climb_deg=traits.climb_deg + 0.3 * float(draw.standard_normal()),
        pen=traits.pen.replaced(draw),
    )
