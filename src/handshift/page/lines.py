"""Text lines, also on pages whose ascenders and descenders touch the neighbouring lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.columns import Columns
from handshift.page.components import Components, Mask
from handshift.page.line_linking import link_cores
from handshift.page.word import Box

Labels = NDArray[np.int32]

_CORE_RATIOS = (1.08, 1.15, 1.22, 1.3, 1.4)
"""How much the flat blur must exceed the tall one, and how much more where lines run into each other."""

_WIDEST = 10
"""Largest distance of lines, in median letter heights: dots and broken strokes lower that median, and IAM's
forms with lines 90 pixels apart have 12 to 43."""
_DOUBLED = (1.7, 2.7)
"""Where a higher peak lies if the first strong one is of something else, as of rows of print in a stamp."""
_HIGH, _DRAWN, _ACROSS = 1.4, 6.0, 0.12
"""Distances of lines that a stroke of one line is high at most, and a drawing at least; share of the ink in
strokes between them beyond which lines must be further apart. 60 pages of three databases have 0 to 0.1 and
one 0.19, wills whose lines were taken for twice as many 0.19 to 0.33."""


@dataclass(frozen=True, slots=True)
class Cores:
    """The band of small letters of every line, on a grid that is coarser than the page."""

    labels: Labels
    """Line number from 1 at the top; 0 between the lines."""
    factor: int
    """Page pixels per cell."""

    @property
    def count(self) -> int:
        """Number of lines."""
        return int(self.labels.max(initial=0))

    def at(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Labels:
        """Line number of each of these page pixels, or 0 between the cores."""
        return self.labels[rows // self.factor, columns // self.factor]

    def nearest(self) -> Cores:
        """The same lines grown until they meet (nearest-core labels)."""
        outside = (self.labels == 0).astype(np.uint8)
        _, cell = cv2.distanceTransformWithLabels(outside, cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL)
        inside = self.labels > 0
        line_of = np.zeros(int(cell.max()) + 1, np.int32)
        line_of[cell[inside]] = self.labels[inside]
        return Cores(line_of[cell], self.factor)

    def middles(self, width: int) -> NDArray[np.float32]:
        """(lines + 1, width): row of the middle of each line at each page column, interpolated over gaps."""
        count, cells = self.count + 1, self.labels.shape[1]
        rows, columns = np.nonzero(self.labels)
        at = self.labels[rows, columns].astype(np.int64) * cells + columns
        weight = np.bincount(at, minlength=count * cells).reshape(count, cells)
        total = np.bincount(at, weights=rows, minlength=count * cells).reshape(count, cells)
        middles = np.zeros((count, width), np.float32)
        for line in range(1, count):
            known = np.flatnonzero(weight[line])
            height = (total[line, known] / weight[line, known] + 0.5) * self.factor
            middles[line] = np.interp(np.arange(width), (known + 0.5) * self.factor, height)
        return middles


def line_period(pieces: Components, closest: float = 0.0) -> float | None:
    """Distance between lines in pixels, from the autocorrelation of the row profiles of vertical strips.

    Strips are used because sloping lines blur the profile of the whole page.

    Args:
        pieces: Connected components.
        closest: Least distance that is looked for; 1.1 letter heights without it.

    Returns:
        The spacing in pixels; None where there is no period, as on a page with a single line.
    """
    mask, letters = pieces.mask, pieces.letter_height
    height, width = mask.shape
    strip = max(1, int(6 * letters))
    total = np.zeros(height)
    kernel = max(1, int(letters / 3))
    for start in range(0, max(1, width - strip // 2), strip):
        profile = cv2.reduce(mask[:, start : start + strip], 1, cv2.REDUCE_SUM, dtype=cv2.CV_32F)[:, 0]
        if np.count_nonzero(profile) < 3 * letters:
            continue
        profile = np.convolve(profile, np.ones(kernel) / kernel, "same")
        spectrum = np.fft.rfft(profile - profile.mean(), 2 * height)
        correlation = np.fft.irfft(np.square(np.abs(spectrum)))[:height]
        total += correlation / max(correlation[0], 1e-9)
    shortest, longest = int(max(1.1 * letters, closest)), min(height - 1, int(_WIDEST * letters))
    if longest - shortest < 3 or total[0] == 0:
        return None
    window = total[shortest:longest]
    peaks = np.flatnonzero((window[1:-1] >= window[:-2]) & (window[1:-1] > window[2:])) + 1
    if peaks.size == 0 or window[peaks].max() < 0.08 * total[0]:
        return None
    # Two lines' distance correlates nearly as well as one's: the first strong peak counts, not the highest.
    strong = peaks[window[peaks] >= 0.6 * window[peaks].max()]
    first, highest = shortest + strong[0], shortest + peaks[window[peaks].argmax()]
    doubled = _DOUBLED[0] * first <= highest <= _DOUBLED[1] * first
    return float(highest if doubled and _share_across(pieces, first) > _ACROSS else first)


def _share_across(pieces: Components, spacing: float) -> float:
    """Share of the ink, apart from drawings, in strokes too high for a line at this distance of lines."""
    heights, areas = (pieces.stats[pieces.kept, of] for of in (cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    writing = heights < _DRAWN * spacing
    return float(areas[writing & (heights > _HIGH * spacing)].sum()) / max(1.0, float(areas[writing].sum()))


def cores_of_columns(mask: Mask, columns: Columns, spacings: Sequence[float]) -> Cores:
    """The lines of each part of a page by itself, numbered in the order in which the parts are read.

    Args:
        mask: 1 where a stroke is.
        columns: Parts of the page whose lines have nothing to do with each other.
        spacings: Distance between lines in each part from the left, in pixels.
    """
    factor = max(1, int(min(spacings) / 18))
    edges = [0, *(cut // factor * factor for cut in columns.cuts), mask.shape[1]]
    labels = np.zeros((-(-mask.shape[0] // factor), -(-mask.shape[1] // factor)), np.int32)
    for part in np.argsort(columns.order):
        left, right = edges[part], edges[part + 1]
        own = line_cores(mask[:, left:right], spacings[part], factor).labels
        begin = left // factor
        labels[:, begin : begin + own.shape[1]] = np.where(own > 0, own + labels.max(), 0)
    return Cores(labels, factor)


def line_cores(mask: Mask, spacing: float, factor: int | None = None) -> Cores:
    """Find the bands of small letters, where a wide flat blur of the ink exceeds a taller one.

    Args:
        mask: 1 where a stroke is.
        spacing: Distance between lines in pixels.
        factor: Page pixels per cell of the coarser grid; as the spacing allows without it.

    Returns:
        The cores on a coarser grid.
    """
    factor = factor or max(1, int(spacing / 18))
    height, width = mask.shape
    cells = (-(-width // factor), -(-height // factor))
    padded = cv2.copyMakeBorder(
        mask, 0, cells[1] * factor - height, 0, cells[0] * factor - width, cv2.BORDER_CONSTANT
    )
    ink = cv2.resize(padded.astype(np.float32), cells, interpolation=cv2.INTER_AREA)
    unit = spacing / factor
    flat = _blur(ink, 1.3 * unit, 0.14 * unit)
    tall = _blur(ink, 1.3 * unit, 0.55 * unit)
    presence = _blur(ink, 1.3 * unit, 0.3 * unit)
    enough = 0.15 * float(np.median(presence[ink > 0])) if (ink > 0).any() else 1.0
    written = presence > enough
    ratio = np.where(written, flat / np.maximum(tall, 1e-6), 0.0)
    return Cores(link_cores(_single_bands(ratio, unit), ink, unit), factor)


def _single_bands(ratio: NDArray[np.floating], spacing: float) -> Mask:
    """Cores, with a higher threshold where a lower one would merge two lines.

    Between touching lines the ratio has a saddle: a band too thick for one line is split by raising the
    threshold until it separates.
    """
    core = (ratio > _CORE_RATIOS[0]).astype(np.uint8)
    for stricter in _CORE_RATIOS[1:]:
        _, labels, stats, _ = cv2.connectedComponentsWithStats(core, connectivity=8, ltype=cv2.CV_32S)
        for label in np.flatnonzero(stats[1:, cv2.CC_STAT_HEIGHT] > 0.9 * spacing) + 1:
            x, y, width, height = stats[label, :4]
            patch = slice(y, y + height), slice(x, x + width)
            band = labels[patch] == label
            # From its top to its bottom within one column; a sloping line is high only as a whole.
            reach = height - band.argmax(axis=0) - band[::-1].argmax(axis=0)
            if np.quantile(reach, 0.98) > 0.9 * spacing:
                core[patch][band & (ratio[patch] <= stricter)] = 0
    return core


def cores_of_boxes(boxes: Sequence[Box], shape: tuple[int, ...]) -> Cores:
    """Cores of lines whose boxes are given: the middle third of each box."""
    labels = np.zeros(shape, np.int32)
    for number, (x, y, width, height) in enumerate(boxes, start=1):
        labels[y + height // 3 : y + max(height // 3 + 1, 2 * height // 3), x : x + width] = number
    return Cores(labels, 1)


def _blur(image: NDArray[np.float32], across: float, down: float) -> NDArray[np.float32]:
    """Approximate Gaussian blur by two box filters, whose cost does not grow with the width."""
    size = (max(1, int(across * 1.2)) | 1, max(1, round(down * 2.4)) | 1)
    return cv2.blur(cv2.blur(image, size), size)
