"""From a scan to an ink map: paper and lighting are removed, ruled lines are found and erased."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.enclosed_area import HOLLOW, enclosed_area

Mask = NDArray[np.uint8]
Ink = NDArray[np.uint8]
"""Height × width, 0 bare paper to 255 full ink."""

_RUN = 0.035
"""A ruling's straight runs are longer than this share of the page's width; pen strokes' seldom are."""
_COVER = 0.35
"""A ruling covers at least this share of the page from side to side, a t-bar or an underline does not."""
_HIDDEN_COVER, _KNOWN_RULED = 0.07, 3
"""Once this many lines are fully visible, another needs only this cover."""
_THICKNESS = 0.0055
"""Of the page's width: printed lines are thinner than this."""
_DARKER = 1.5
"""Contrast of a stroke that crosses a rule, at least, relative to the rule's."""


def rulings(mask: Mask, contrast: Ink | None = None) -> Mask:
    """1 on ruled lines in either direction, except where a stroke crosses them; all 0 on plain paper.

    Args:
        mask: 1 where there is ink or a rule.
        contrast: How dark each pixel is; pixels clearly darker than their rule are a stroke's.
    """
    level = _long_lines(mask)
    upright = _long_lines(np.ascontiguousarray(mask.T)).turned()
    found = cv2.max(level.thin, upright.thin)
    # Where two rules cross, neither is thin.
    found[(level.number > 0) & (upright.number > 0) & (mask > 0)] = 1
    if contrast is not None:
        for rules in (level, upright):
            found[rules.crossed(contrast)] = 0
    return found


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one direction."""

    thin: Mask
    """1 where they are visible as thin lines."""
    number: NDArray[np.uint8]
    """Number of the rule whose course leads through a pixel, from 1; 0 elsewhere."""

    def turned(self) -> _Rules:
        """Rows and columns exchanged."""
        return _Rules(np.ascontiguousarray(self.thin.T), np.ascontiguousarray(self.number.T))

    def crossed(self, contrast: Ink) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pixels of the rules that are clearly darker than their rule is in the median."""
        rows, columns = np.nonzero((self.number * self.thin).view(bool))
        number, values = self.number[rows, columns], contrast[rows, columns]
        order = np.lexsort((values, number))
        count = np.bincount(number, minlength=256)
        middle = np.minimum(np.cumsum(count) - count + count // 2, max(0, order.size - 1))
        usual = values[order][middle] if order.size else np.zeros(256, np.uint8)
        darker = values > _DARKER * usual[number]
        return rows[darker], columns[darker]


def _long_lines(mask: Mask) -> _Rules:
    """Nearly level lines, as thick as they are printed."""
    width = mask.shape[1]
    if not _may_be_ruled(mask):
        return _Rules(np.zeros_like(mask), np.zeros_like(mask))
    run = max(24, int(_RUN * width))
    thick = max(4, int(_THICKNESS * width))
    # What is thicker is writing: strokes that cross a line, or close letters that run on like one.
    thin = cv2.subtract(mask, cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((thick, 1), np.uint8)))
    # Scans break thin lines; bridging small gaps first lets their straight runs show.
    bridged = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, np.ones((1, 5), np.uint8))
    runs = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, np.ones((1, run), np.uint8))
    number = _paths(runs, run, thick)
    return _Rules(cv2.min(number, thin), number)


def _paths(runs: Mask, run: int, thick: int) -> NDArray[np.uint8]:
    """Whole lines drawn through runs that lie end to end, also where writing hides them, with their numbers.

    Each is as thick as its runs are, and a pixel: a broader one would take parts of the letters on it.
    """
    width = runs.shape[1]
    # Runs of one slightly sloping line lie a pixel apart: joined, they span the page.
    joined = cv2.dilate(runs, np.ones((3, 2 * run), np.uint8))
    count, labels, _, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    rows, columns = np.nonzero(runs)
    at = labels[rows, columns].astype(np.int64) * width + columns
    weight = np.bincount(at, minlength=count * width).reshape(count, width)
    total = np.bincount(at, weights=rows, minlength=count * width).reshape(count, width)
    paths = np.zeros_like(runs)
    every = np.arange(width)
    cover = (weight > 0).sum(axis=1) / width
    # On paper known to be ruled, lines mostly hidden by writing need less evidence.
    ruled = (cover >= _COVER).sum() >= _KNOWN_RULED
    for line in np.flatnonzero(cover >= (_HIDDEN_COVER if ruled else _COVER)):
        known = np.flatnonzero(weight[line])
        height = np.interp(every, known, total[line, known] / weight[line, known])
        points = np.column_stack([every, np.rint(height)]).astype(np.int32)
        breadth = min(thick, round(float(np.percentile(weight[line, known], 75))) + 1)
        cv2.polylines(paths, [points], isClosed=False, color=1 + int(line) % 255, thickness=breadth)
    return paths


def _may_be_ruled(mask: Mask) -> bool:
    """Quick test that spares plain paper the search: rows that are full in many of 48 blocks."""
    height, width = mask.shape
    blocks = cv2.resize(mask * np.uint8(255), (min(48, width), height), interpolation=cv2.INTER_AREA)
    # A line that slopes a little is full in neighbouring rows of neighbouring blocks.
    full = cv2.dilate((blocks > 215).astype(np.uint8), np.ones((9, 1), np.uint8))
    return bool(full.mean(axis=1).max(initial=0) >= 0.6 * _COVER)


_COARSE = 4
"""Lighting changes slowly, so the background is estimated at a quarter of the resolution."""
_WIDEST_STROKE = 0.02
"""Ink wider than this share of the page's width counts as background (shadows, dark borders)."""
_OUTLINE = (0.05, 0.34)
"""Sides of a stamp or a box, of the page's width: a ruling is longer, and words are less tall."""
_SPECK, _FAINT = 25, 190
"""Of an ink map: less is paper, and a typical stroke below the second is faint."""
_FAINTEST_CONTRAST = 12
"""A page whose darkest strokes differ less than this from the paper (of 255) is blank."""


def ink_map(image: NDArray[np.uint8]) -> Ink:
    """Contrast of each pixel against its surrounding paper, scaled so that a typical stroke is 255.

    Every colour channel is compared with its own background and the strongest contrast counts, so blue, red
    and pencil strokes become equally dark and tinted paper disappears.

    Args:
        image: Upright RGB pixels, height × width × 3.

    Returns:
        The ink map, height × width, 0 paper to 255 full ink; all 0 for a blank page.
    """
    channels = cv2.split(image) if _is_coloured(image) else [image[..., 1]]
    contrast = _contrast(np.ascontiguousarray(channels[0]))
    for channel in channels[1:]:
        cv2.max(contrast, _contrast(channel), dst=contrast)
    otsu, _ = cv2.threshold(contrast, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    # Of a scan in black and white alone, Otsu's threshold is the lower of its two values: bare paper.
    otsu = otsu or float(contrast.max()) / 2
    if otsu < _FAINTEST_CONTRAST / 2:
        return np.zeros_like(contrast)
    # Printed lines are often fainter than strokes, yet dark enough to tie words together.
    faint = cv2.threshold(contrast, max(_FAINTEST_CONTRAST, otsu / 2), 1, cv2.THRESH_BINARY)[1]
    ruled = rulings(faint, contrast) > 0
    if ruled.any():
        contrast[ruled & ~_outlines(contrast, otsu)] = 0
    full = _typical_stroke(contrast, otsu)
    if full < _FAINTEST_CONTRAST:
        return np.zeros_like(contrast)
    return cv2.convertScaleAbs(contrast, alpha=255.0 / full)


def rescaled(ink: Ink) -> Ink:
    """The ink map of what is left after darker marks, such as print, were erased from it."""
    otsu, _ = cv2.threshold(ink[ink > _SPECK], 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    full = _typical_stroke(ink, otsu)
    return cv2.convertScaleAbs(ink, alpha=255.0 / full) if _SPECK < full < _FAINT else ink


def _outlines(contrast: Ink, otsu: float) -> NDArray[np.bool_]:
    """Marks as tall and wide as a stamp or a box of a form, whose level edges are no ruling."""
    mask = cv2.threshold(contrast, otsu, 1, cv2.THRESH_BINARY)[1]
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    least, most = _OUTLINE[0] * mask.shape[1], _OUTLINE[1] * mask.shape[1]
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    framed = np.zeros(len(stats), bool)
    for label in np.flatnonzero((np.minimum(width, height) > least) & (np.maximum(width, height) < most)):
        x, y, across, down = stats[label, :4]
        patch = (labels[y : y + down, x : x + across] == label).astype(np.uint8)
        framed[label] = label > 0 and enclosed_area(patch).area > HOLLOW * across * down
    return np.asarray(framed[labels] & (mask > 0))


def _is_coloured(image: NDArray[np.uint8]) -> bool:
    sample = image[::8, ::8].astype(np.int16)
    spread = sample.max(axis=2) - sample.min(axis=2)
    return bool(np.count_nonzero(spread > 12) > 0.0005 * spread.size)


def _contrast(channel: NDArray[np.uint8]) -> Ink:
    """How much darker than its surrounding paper each pixel is, in grey levels of white paper."""
    height, width = channel.shape
    small = cv2.resize(
        channel, (max(1, width // _COARSE), max(1, height // _COARSE)), interpolation=cv2.INTER_AREA
    )
    reach = max(5, int(small.shape[1] * _WIDEST_STROKE) | 1)
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    paper = cv2.blur(paper, (reach, reach))
    paper = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR)
    relative = cv2.divide(channel, cv2.max(paper, 32), scale=255.0)
    return cv2.bitwise_not(relative)


def _typical_stroke(contrast: Ink, otsu: float) -> float:
    """Contrast of a well-inked stroke: the upper quartile of what Otsu's threshold calls ink."""
    # np.bincount would make eight bytes of every pixel.
    histogram = cv2.calcHist([contrast], [0], None, [256], [0, 256]).ravel()[int(otsu) + 1 :].astype(np.int64)
    if histogram.sum() == 0:
        return 0.0
    return float(otsu + 1 + np.searchsorted(np.cumsum(histogram), 0.75 * histogram.sum()))
