"""Two pens on a page: where stroke width and colour of ink change together with the place in the text.

A change of pen is not a change of hand, yet it is what a reader of the report should know of the parts that
are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.level_percentile import level_percentile
from handshift.page.components import STROKE, stroke_width
from handshift.page.word import Word

Floats = NDArray[np.float64]

_CORE = 60
"""Percentile of a word's ink from which on a pixel shows the pen's colour and not the edge of a stroke."""
_SHORTEST = 5
"""Words that a pen must have written to be noticed."""
_EVIDENCE = 120.0
"""Least T² of the best block of words.

With the limits below, of pages by train writers 1.7 % (60 of CSAFE), 2.5 % (40 of copiste) and none (40 drawn
with one pen) are said to show two pens, and 85 % of 40 that were drawn with two random pens, some alike.
"""
_WIDTH_RATIO, _COLOUR = 1.3, 12.0
"""Least change that matters: of stroke width, or of colour in CIE Lab."""


@dataclass(frozen=True, slots=True)
class PenChange:
    """A block of words that another pen wrote."""

    first: int
    """Number of its first word, from 0."""
    last: int
    width_ratio: float
    """Stroke width of the block over that of the rest."""
    colour: float
    """Distance of the two colours in CIE Lab; 2 is just seen."""

    def sentence(self) -> str:
        """What the report says of it."""
        changes = []
        if not 1 / _WIDTH_RATIO < self.width_ratio < _WIDTH_RATIO:
            times = max(self.width_ratio, 1 / self.width_ratio)
            changes.append(f"strokes {times:.1f} times as {'wide' if self.width_ratio > 1 else 'thin'}")
        if self.colour >= _COLOUR:
            changes.append("ink of another colour or darkness")
        return (
            f"the page seems to be written with two pens: words {self.first + 1} to {self.last + 1} have "
            f"{' and '.join(changes)}; another pen is not another hand"
        )


def pen_traces(image: NDArray[np.uint8], words: Sequence[Word]) -> Floats:
    """What each word shows of the pen.

    Args:
        image: (height, width, 3) RGB, the page.
        words: Its words.

    Returns:
        (words, 4): logarithm of the stroke width in pixels of the words' ink, and L, a, b of the ink.
    """
    traces = np.zeros((len(words), 4))
    for trace, word in zip(traces, words, strict=True):
        mask = (word.ink > STROKE).astype(np.uint8)
        if not mask.any():
            continue
        x, y, width, height = word.box
        patch = cv2.resize(
            image[y : y + height, x : x + width], mask.shape[::-1], interpolation=cv2.INTER_AREA
        )
        lab = cv2.cvtColor(patch.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
        core = word.ink >= level_percentile(word.ink[mask > 0], _CORE)
        trace[0] = np.log(max(stroke_width(mask), 0.5))
        trace[1:] = lab[core & (mask > 0)].mean(axis=0)
    return traces


def pen_change(image: NDArray[np.uint8], words: Sequence[Word]) -> PenChange | None:
    """Find the block of words that another pen wrote, if there is one.

    The block maximises T² = n·m/(n + m)·dᵀS⁻¹d, d being the difference of the means within and outside of it
    and S the covariance of a word's trace, from differences of neighbours, which a change of pen hardly
    touches.

    Args:
        image: (height, width, 3) RGB, the page.
        words: Its words in reading order.

    Returns:
        The change, or None where the evidence is weak or the change too small to matter.
    """
    if len(words) < 2 * _SHORTEST:
        return None
    traces = pen_traces(image, words)
    first, end, evidence = _best_block(traces)
    inside = np.zeros(len(words), bool)
    inside[first:end] = True
    if inside.sum() > len(words) / 2 and (first == 0 or end == len(words)):  # name the shorter part
        inside = ~inside
    apart = np.median(traces[inside], axis=0) - np.median(traces[~inside], axis=0)
    ratio, colour = float(np.exp(apart[0])), float(np.linalg.norm(apart[1:]))
    small = 1 / _WIDTH_RATIO < ratio < _WIDTH_RATIO and colour < _COLOUR
    if evidence < _EVIDENCE or small:
        return None
    at = np.flatnonzero(inside)
    return PenChange(int(at[0]), int(at[-1]), ratio, colour)


def _best_block(traces: Floats) -> tuple[int, int, float]:
    """First word, the word after the last, and T²."""
    count = len(traces)
    steps = np.diff(traces, axis=0) / np.sqrt(2)
    centre = np.median(steps, axis=0)
    spread = 1.4826 * np.median(np.abs(steps - centre), axis=0)
    # 0.1 in log width and 2 in Lab: less is the scan, and a page in 16 greys may show no spread at all.
    scaled = traces / np.maximum(spread, [0.1, 2.0, 2.0, 2.0])
    sums = np.concatenate([np.zeros((1, traces.shape[1])), np.cumsum(scaled, axis=0)])
    best = (0, _SHORTEST, -1.0)
    for first in range(count - _SHORTEST + 1):
        ends = np.arange(first + _SHORTEST, count + 1)
        inside = (ends - first).astype(np.float64)
        outside = count - inside
        usable = outside >= _SHORTEST
        if not usable.any():
            continue
        ends, inside, outside = ends[usable], inside[usable], outside[usable]
        within = sums[ends] - sums[first]
        apart = within / inside[:, None] - (sums[-1] - within) / outside[:, None]
        evidence = inside * outside / count * np.square(apart).sum(axis=1)
        top = int(evidence.argmax())
        if evidence[top] > best[2]:
            best = (first, int(ends[top]), float(evidence[top]))
    return best
