"""Smooth distortions of glyphs: a scribe's fixed habit, and the variation between occurrences."""

from __future__ import annotations

import numpy as np

from handshift.corpus.scribes.skeleton import Glyph, Points
from handshift.corpus.scribes.traits import Traits

_WAVES = 4


def distorted(glyph: Glyph, amount: float, draw: np.random.Generator) -> Glyph:
    """Displace all strokes of a letter by one smooth random field, so that touching strokes stay connected.

    field(p) = amount · Σ_w a_w sin(k_w·p + φ_w), wavelengths of one to three letter heights.

    Args:
        glyph: The letter.
        amount: Standard deviation of the displacement, in letter heights.
        draw: Source of randomness.

    Returns:
        The displaced letter.
    """
    wave = 2 * np.pi / draw.uniform(1.1, 3.0, _WAVES)
    angle = draw.uniform(0, 2 * np.pi, _WAVES)
    direction = np.stack([np.cos(angle), np.sin(angle)]) * wave  # (2, waves)
    phase = draw.uniform(0, 2 * np.pi, _WAVES)
    strength = draw.standard_normal((_WAVES, 2)) * amount * np.sqrt(2 / _WAVES)
    own = draw.standard_normal((len(glyph), 2)) * 0.3 * amount  # each stroke lands a little off

    def field(points: Points) -> Points:
        return np.asarray(np.sin(points @ direction + phase) @ strength)

    return tuple(
        stroke.moved(stroke.points + field(stroke.points) + shift)
        for stroke, shift in zip(glyph, own, strict=True)
    )


def proportioned(glyph: Glyph, traits: Traits, *, capital: bool) -> Glyph:
    """Give a letter the scribe's proportions: width, ascenders, descenders, bow of long strokes."""
    return tuple(stroke.moved(_proportioned(stroke.points, traits, capital)) for stroke in glyph)


def _proportioned(points: Points, traits: Traits, capital: bool) -> Points:
    x, y = points[:, 0] * traits.width, points[:, 1]
    if capital:
        y = np.where(y > 0, y * traits.capital * (0.55 + 0.45 * traits.ascender), y * traits.descender)
    else:
        y = np.where(y > 1, 1 + (y - 1) * traits.ascender, np.where(y < 0, y * traits.descender, y))
    bow = traits.bow * np.sin(np.pi * np.clip(y, -1, 2) / 2)
    return np.stack([x + bow, y], axis=1)
