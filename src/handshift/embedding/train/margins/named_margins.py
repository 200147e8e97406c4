"""The three named corners of the combined margin."""

from __future__ import annotations

from handshift.embedding.train.margins.combined_margin import Combined


def sphereface(scale: float, margin: float = 1.35) -> Combined:
    """logit_y = s·cos(m·θ_y): the angle multiplied."""
    return Combined(scale, m1=margin, m2=0.0, m3=0.0)


def arcface(scale: float, margin: float = 0.5) -> Combined:
    """logit_y = s·cos(θ_y + m): the angle widened, m in radians."""
    return Combined(scale, m1=1.0, m2=margin, m3=0.0)


def cosface(scale: float, margin: float = 0.35) -> Combined:
    """logit_y = s·(cos θ_y − m): the cosine lowered."""
    return Combined(scale, m1=1.0, m2=0.0, m3=margin)
