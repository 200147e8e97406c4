"""The score of a page in the distribution of scores of pages of known ground truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.verdict import Verdict

BINS = 44
WIDTH, HEIGHT = 880.0, 100.0
"""Drawing units of one histogram; the one of several hands hangs below that of one hand."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on the axis."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class ReferencePlot:
    """Two histograms over one axis, and the page's place on it."""

    one_hand: str
    several_hands: str
    """SVG paths: up from the axis, and down from it."""
    ticks: tuple[Tick, ...]
    x: float
    as_high: int
    """One-hand pages that score at least as high as this page."""
    as_low: int
    """Several-hand pages that score at most as high."""
    one_count: int
    several_count: int


def reference_plot(verdict: Verdict) -> ReferencePlot | None:
    """Place a score among the reference pages; None where there are none."""
    reference = verdict.reference
    one, several = np.asarray(reference.one_hand, float), np.asarray(reference.several_hands, float)
    if not one.size or not several.size:
        return None
    # The tails of a few odd pages would press all others into one bar.
    ends = np.percentile(np.concatenate([one, several]), (0.5, 99.5))
    low, high = min(ends[0], verdict.score), max(ends[1], verdict.score)
    margin = 0.04 * (high - low) or 1.0
    edges = np.linspace(low - margin, high + margin, BINS + 1)
    shares = [np.histogram(np.clip(scores, low, high), edges)[0] / scores.size for scores in (one, several)]
    tallest = max(float(share.max()) for share in shares)
    return ReferencePlot(
        one_hand=_steps(-shares[0] / tallest * HEIGHT),
        several_hands=_steps(shares[1] / tallest * HEIGHT),
        ticks=_ticks(edges[0], edges[-1]),
        x=round(float((verdict.score - edges[0]) / (edges[-1] - edges[0]) * WIDTH), 1),
        as_high=int((one >= verdict.score).sum()),
        as_low=int((several <= verdict.score).sum()),
        one_count=one.size,
        several_count=several.size,
    )


def _steps(heights: NDArray[np.floating]) -> str:
    """Outline bars as one closed path from the axis and back to it."""
    step = WIDTH / len(heights)
    bars = "".join(f"V{height:.1f}H{(bar + 1) * step:.1f}" for bar, height in enumerate(heights))
    return f"M0 0{bars}V0Z"


def _ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Five to ten round numbers."""
    rough = (high - low) / 7
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
    values = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    scale = WIDTH / (high - low)
    return tuple(Tick(round(float((value - low) * scale), 1), f"{value + 0.0:g}") for value in values)
