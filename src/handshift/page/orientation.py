"""Which way up a page is, decided from its writing."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.strokes import Strokes
from handshift.page.word import Word
from handshift.page.word_marks import word_marks

Mask = NDArray[np.uint8]
_COARSE = 700
_SIDEWAYS = 1.25
"""How much clearer lines must be along columns than along rows before a page is turned."""
_WIDE, _TESTED, _FEWEST, _WEIGHT = 2.0, 48, 3, 3.0
"""Words of which the network is asked which way up they are: letter sizes of width, how many at most and at
least; and what its answer weighs beside the three measures, which are seldom beyond 1 together."""

_ONE_LINE = 2.5
"""Width over height of the writing from which on it is a line or two, as they are usually scanned."""


def runs_sideways(mask: Mask) -> bool:
    """Whether the lines of writing run from top to bottom of the picture.

    Lines show as bands of ink between bands of paper. The profile of ink across strips of the picture is
    compared along both directions: its relative variation is large across lines and small along them.

    Args:
        mask: 1 where a stroke is.
    """
    scale = min(1.0, _COARSE / max(mask.shape))
    size = (max(1, round(mask.shape[1] * scale)), max(1, round(mask.shape[0] * scale)))
    small = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    rows, columns = np.nonzero(small)
    if rows.size == 0 or np.ptp(columns) > _ONE_LINE * np.ptp(rows):
        return False
    return _bands(np.ascontiguousarray(small.T)) > _SIDEWAYS * _bands(small)


def _bands(ink: NDArray[np.float32]) -> float:
    """How clearly rows of ink alternate with rows of paper, in vertical strips that follow sloping lines."""
    rows, columns = np.nonzero(ink.max(axis=1) > 0.05)[0], np.nonzero(ink.max(axis=0) > 0.05)[0]
    if rows.size < 8 or columns.size < 8:
        return 0.0
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    total = weight = 0.0
    strip = max(24, ink.shape[1] // 6)
    for start in range(0, ink.shape[1], strip):
        profile = ink[:, start : start + strip].sum(axis=1)
        if profile.size < 16 or profile.sum() == 0:
            continue
        reaches = (3, min(41, profile.size))
        fine, broad = (np.convolve(profile, np.ones(reach) / reach, "same") for reach in reaches)
        # Variation against the neighbourhood, not the page: a column that ends early is no line.
        total += float(np.abs(fine - broad).sum())
        weight += float(profile.sum())
    return total / weight if weight else 0.0


def upright_features(strokes: Strokes, size: float, words: Sequence[Word]) -> NDArray[np.float64]:
    """Three measures that change their sign when a page is turned upside down.

    Args:
        strokes: Strokes by line.
        size: Height of small letters.
        words: The words found.

    Returns:
        Excess of ink above the small letters (ascenders) over ink below; excess of small separate marks above
        over below (dots on i against commas); how much better the lines align on the left than on the right.
    """
    above = strokes.above / max(size, 1.0)
    high, low = (
        int(np.count_nonzero((above > 0.8) & (above < 2.2))),
        int(np.count_nonzero((above < -0.8) & (above > -2.2))),
    )
    ink = (high - low) / max(1, high + low)
    ends = np.append(strokes.starts[1:], strokes.rows.size)
    small = ends - strokes.starts < 0.25 * size * size
    middle = np.add.reduceat(strokes.above, strokes.starts) / (ends - strokes.starts) / max(size, 1.0)
    dots = int(np.count_nonzero(small & (middle > 0.8) & (middle < 2.2)))
    commas = int(np.count_nonzero(small & (middle < -0.8) & (middle > -2.2)))
    marks = (dots - commas) / max(4, dots + commas)
    return np.array([ink, marks, _alignment(words)])


def _alignment(words: Sequence[Word]) -> float:
    """−1 … 1, positive where the lines begin at one place and end at several."""
    lines: dict[int, list[int]] = {}
    for word in words:
        span = lines.setdefault(word.line, [word.box.x, word.box.x + word.box.width])
        span[0], span[1] = min(span[0], word.box.x), max(span[1], word.box.x + word.box.width)
    if len(lines) < 3:
        return 0.0
    left, right = np.array(list(lines.values()), float).T
    spread = [float(np.median(np.abs(ends - np.median(ends)))) + 1.0 for ends in (left, right)]
    return float(np.tanh(np.log(spread[1] / spread[0]) / 2))


def upright_evidence(features: NDArray[np.float64], words: Sequence[Word], size: float) -> float:
    """Positive for a page that stands upright, negative for one upside down.

    The network's opinion of its words counts most; the three measures decide where it has none.

    Args:
        features: Three measures of `upright_features`.
        words: The words found, of which at most 48 are tested.
        size: Height of small letters.
    """
    # Of 48 pages by train writers, ascenders and alignment are positive on all, marks on five in six.
    evidence = float(features.sum())
    wide = [word for word in words if word.ink.shape[1] >= _WIDE * size]
    logits = word_marks(wide[:: max(1, len(wide) // _TESTED)], size).upside_down
    known = logits[np.isfinite(logits)]
    return evidence - _WEIGHT * float(np.tanh(known / 2).mean()) if known.size >= _FEWEST else evidence
