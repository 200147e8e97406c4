"""Equal words of two sides, aligned and laid over each other, as examiners do by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.attribution.matching_words import plain_text
from handshift.attribution.verification import ComparedSide, Verification
from handshift.core.arrays import Floats
from handshift.page.word import Box, Word
from handshift.report.comparison_view import MOST_PAGES
from handshift.report.sheet import cut_out

MOST, FEWEST_LETTERS = 12, 3
HEIGHT, SLACK = 72, 0.25
"""Height of a laid-over word in pixels; how far the second may be shifted, as a share of the wider one."""
ONE, TWO = np.array([0, 114, 178]), np.array([213, 94, 0])
"""Inks of the first and the second word; colour-blind safe."""
_FAINTEST = 0.35
"""Ink below is paper when the outline of a word is measured."""


@dataclass(frozen=True, slots=True)
class EqualWords:
    """One text as both sides wrote it."""

    text: str
    one: NDArray[np.uint8] = field(repr=False)
    two: NDArray[np.uint8] = field(repr=False)
    over: NDArray[np.uint8] = field(repr=False)
    """Both at one height, shifted so that they overlap most."""
    words: tuple[Word, Word] = field(repr=False)
    """Where they were written."""


def equal_words(verification: Verification) -> tuple[EqualWords, ...]:
    """Texts of three letters and more on both sides, long ones first; none where words were not read."""
    first, second = (dict(_texts(side)) for side in verification.sides)
    shared = sorted(set(first) & set(second), key=lambda text: (-len(text), text))
    found = []
    for text in shared[:MOST]:
        (one, own), (two, other) = first[text], second[text]
        found.append(EqualWords(text, one, two, lay_over(one, two), (own, other)))
    return tuple(found)


def lay_over(one: NDArray[np.uint8], two: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bring two word pictures to one height of ink, align them, and print one over the other.

    Args:
        one: RGB pixels of the first word.
        two: Likewise of the second.

    Returns:
        RGB pixels: the first in blue, the second in orange, both translucent.
    """
    inks = [_upright(_ink(picture)) for picture in (one, two)]
    width = max(ink.shape[1] for ink in inks)
    room = max(1, round(SLACK * width))
    canvas = np.zeros((HEIGHT, width + 2 * room), np.float32)
    left = room + (width - inks[0].shape[1]) // 2
    canvas[:, left : left + inks[0].shape[1]] = inks[0]
    fit = cv2.matchTemplate(canvas, inks[1], cv2.TM_CCORR)[0]
    shift = int(fit.argmax())
    other = np.zeros_like(canvas)
    other[:, shift : shift + inks[1].shape[1]] = inks[1]
    paper = np.ones((*canvas.shape, 3))
    for ink, colour in ((canvas, ONE), (other, TWO)):
        paper *= 1 - 0.75 * ink[:, :, None] * (1 - colour / 255)
    return np.asarray(np.rint(255 * paper), np.uint8)


def _texts(side: ComparedSide) -> Iterator[tuple[str, tuple[NDArray[np.uint8], Word]]]:
    """Each text of a side with its first occurrence; the last one yielded is kept, so pages go backwards."""
    for compared in reversed(side.pages[:MOST_PAGES]):
        words = zip(compared.page.words, compared.influence, strict=True)
        for word, influence in reversed(list(words)):
            text = plain_text(word)
            if len(text) >= FEWEST_LETTERS and np.isfinite(influence):
                yield text, (cut_out(compared.page.image, Box(*word.box)), word)


def _ink(picture: NDArray[np.uint8]) -> Floats:
    """0 paper to 1 ink."""
    grey = picture.astype(np.float64).mean(axis=2)
    paper, full = np.percentile(grey, 90), np.percentile(grey, 2)
    return np.asarray(np.clip((paper - grey) / max(paper - full, 1.0), 0.0, 1.0), np.float64)


def _upright(ink: Floats) -> NDArray[np.float32]:
    """Cut to the ink and scale to one height."""
    rows, columns = (np.flatnonzero((ink > _FAINTEST).any(axis=axis)) for axis in (1, 0))
    if rows.size and columns.size:
        ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    width = max(1, round(ink.shape[1] * HEIGHT / ink.shape[0]))
    return np.asarray(cv2.resize(ink.astype(np.float32), (width, HEIGHT), interpolation=cv2.INTER_AREA))
