"""Divides marks that hold a word crossed out and its neighbour, which the line through the one reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from handshift.page.components import STROKE
from handshift.page.word import Box, Word
from handshift.page.word_kind import WordKind

_GAP = 0.25
"""Letter sizes of white between the two: the ends of the line through a word shorten its gaps."""
_PART = 0.8
"""Letter sizes that either part is wide at least: a comma stays with its word."""
_NOT_CROSSED = -1.0
"""Logit up to which a part surely is not crossed out."""

Logits = Callable[[Sequence[Word]], NDArray[np.float64]]


def divide_struck_out(words: Sequence[Word], logits: Logits, size: float) -> list[Word]:
    """Divide words that are called crossed out where the one side of a white gap is and the other is not.

    Args:
        words: Words of a page with their kinds.
        logits: Of being crossed out, for any words.
        size: Height of small letters, in pixels of the words' ink.

    Returns:
        The words; the parts that are not crossed out are writing.
    """
    divided: list[Word] = []
    for word in words:
        divided += _parts(word, logits, size) if word.kind is WordKind.STRUCK_OUT else [word]
    return divided


def _parts(word: Word, logits: Logits, size: float) -> list[Word]:
    cuts = list(_gaps(word.ink, size))
    if not cuts:
        return [word]
    halves = [_cut(word, cut) for cut in cuts]
    found = logits([part for pair in halves for part in pair]).reshape(-1, 2)
    apart = np.where((found.max(axis=1) > 0) & (found.min(axis=1) < _NOT_CROSSED), np.ptp(found, axis=1), 0)
    best = int(apart.argmax())
    if not apart[best]:
        return [word]
    parts: list[Word] = []
    for part, logit in zip(halves[best], found[best], strict=True):
        parts += _parts(part, logits, size) if logit > 0 else [replace(part, kind=WordKind.WRITING)]
    return parts


def _gaps(ink: NDArray[np.uint8], size: float) -> Iterator[int]:
    """The middle column of every white gap that leaves a part of some width on either side."""
    columns = np.flatnonzero((ink > STROKE).any(axis=0))
    for left, right in pairwise(columns.tolist()):
        wide = right - left - 1 >= _GAP * size
        if wide and min(left - columns[0], columns[-1] - right) >= _PART * size:
            yield (left + right + 1) // 2


def _cut(word: Word, column: int) -> tuple[Word, Word]:
    """The parts left and right of a column of the ink, without the white about them."""
    return _between(word, 0, column), _between(word, column, word.ink.shape[1])


def _between(word: Word, left: int, right: int) -> Word:
    inked = word.ink[:, left:right] > STROKE
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    left, right = left + int(columns[0]), left + int(columns[-1]) + 1
    # A box in pixels of a page whose lines are not level is wider or higher than its ink.
    across, down = word.box.width / word.ink.shape[1], word.box.height / word.ink.shape[0]
    box = Box(
        word.box.x + round(left * across),
        word.box.y + round(top * down),
        max(1, round((right - left) * across)),
        max(1, round((bottom - top) * down)),
    )
    return replace(word, box=box, ink=word.ink[top:bottom, left:right])
