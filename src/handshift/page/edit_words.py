"""Corrections of a segmentation: words merged, split, removed or drawn by hand.

Each function returns a new page; the words that were not named keep their ink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.page.hand_labels import box_around
from handshift.page.ink import ink_map
from handshift.page.word import Box, Page, Word
from handshift.page.word_kind import WordKind

_INK = 95
"""Ink darker than this is a stroke; the same threshold as in word crops."""


class CorrectionError(HandshiftError):
    """A correction that names no word of the page, or leaves none."""


def merge_words(page: Page, boxes: Sequence[Box]) -> Page:
    """Join several words of one page into one.

    Args:
        page: The page as segmented so far.
        boxes: Boxes of two or more of its words.

    Returns:
        The page with one word in their place, on the line of the first.

    Raises:
        CorrectionError: Fewer than two boxes, or a box of no word.
    """
    places = sorted(_place(page, box) for box in boxes)
    if len(set(places)) < 2:
        raise CorrectionError("name at least two different words to merge")
    words = [page.words[place] for place in places]
    around, scale = box_around([word.box for word in words]), _scale(page)
    canvas = np.zeros((_pixels(around.height, scale), _pixels(around.width, scale)), np.uint8)
    for word in words:
        y, x = int((word.box.y - around.y) / scale), int((word.box.x - around.x) / scale)
        height, width = word.ink.shape
        canvas = _grown(canvas, y + height, x + width)
        part = canvas[y : y + height, x : x + width]
        np.maximum(part, word.ink, out=part)
    texts = [word.text for word in words if word.text]
    merged = Word(around, words[0].line, canvas, " ".join(texts) or None, any(word.cut_off for word in words))
    kept = [word for place, word in enumerate(page.words) if place not in places]
    return _ordered(page, [*kept, merged])


def split_word(page: Page, box: Box, x: int) -> Page:
    """Divide a word at a column.

    Args:
        page: The page as segmented so far.
        box: The word's box.
        x: Where to divide, in pixels of the page.

    Returns:
        The page with two words in place of the one; each box is fitted to its ink.

    Raises:
        CorrectionError: The box is no word's, or one side of `x` holds no ink.
    """
    place = _place(page, box)
    word, scale = page.words[place], _scale(page)
    column = round((x - box.x) / scale)
    halves = [(word.ink[:, :column], 0), (word.ink[:, column:], column)]
    if any(not (half > _INK).any() for half, _ in halves):
        raise CorrectionError(f"x = {x} leaves one side of the word without ink; choose a column inside it")
    parts = [_fitted(half, word, box, offset, scale) for half, offset in halves]
    others = [other for at, other in enumerate(page.words) if at != place]
    return _ordered(page, [*others, *parts])


def delete_word(page: Page, box: Box) -> Page:
    """Remove a word: a blot, a line of the form, a stamp."""
    place = _place(page, box)
    return replace(page, words=page.words[:place] + page.words[place + 1 :])


def mark_words(page: Page, boxes: Sequence[Box], kind: WordKind) -> Page:
    """Say what some words are, such as print or a stamp; only writing is compared.

    Raises:
        CorrectionError: A box of no word.
    """
    places = {_place(page, box) for box in boxes}
    words = [replace(word, kind=kind) if place in places else word for place, word in enumerate(page.words)]
    return replace(page, words=tuple(words))


def draw_word(page: Page, box: Box) -> Page:
    """Add a word that segmentation missed.

    Args:
        page: The page as segmented so far.
        box: Where the word stands, in pixels of the page.

    Returns:
        The page with the new word on the nearest line.

    Raises:
        CorrectionError: The box lies outside of the page, or there is no ink in it.
    """
    height, width = page.image.shape[:2]
    x, y = max(0, box.x), max(0, box.y)
    inside = Box(x, y, min(width, box.x + box.width) - x, min(height, box.y + box.height) - y)
    if inside.width < 2 or inside.height < 2:
        raise CorrectionError("the box lies outside of the page")
    scale = _scale(page)
    image = page.image
    if scale > 1:
        size = (round(width / scale), round(height / scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    left, top = int(x / scale), int(y / scale)
    ink = ink_map(image)[
        top : top + _pixels(inside.height, scale), left : left + _pixels(inside.width, scale)
    ]
    if not (ink > _INK).any():
        raise CorrectionError("there is no ink in the box")
    drawn = Word(inside, _line_of(page, inside), np.ascontiguousarray(ink))
    return _ordered(page, [*page.words, drawn])


def _place(page: Page, box: Box) -> int:
    for place, word in enumerate(page.words):
        if word.box == box:
            return place
    raise CorrectionError(f"no word of the page has the box {tuple(box)}")


def _scale(page: Page) -> float:
    """Pixels of the page for one of a word's ink; 1 but for fine scans."""
    return page.image.shape[1] / page.sheet_width if page.sheet_width else 1.0


def _pixels(length: int, scale: float) -> int:
    return max(1, round(length / scale))


def _grown(canvas: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """At least of this size; a deskewed word's ink may be a little larger than its box."""
    below, right = max(0, height - canvas.shape[0]), max(0, width - canvas.shape[1])
    return np.pad(canvas, ((0, below), (0, right))) if below or right else canvas


def _fitted(ink: NDArray[np.uint8], word: Word, box: Box, offset: int, scale: float) -> Word:
    rows, columns = np.nonzero(ink > _INK)
    top, left = int(rows.min()), int(columns.min())
    cut = ink[top : int(rows.max()) + 1, left : int(columns.max()) + 1]
    x, y = box.x + round((offset + left) * scale), box.y + round(top * scale)
    around = Box(x, y, round(cut.shape[1] * scale), round(cut.shape[0] * scale))
    return Word(around, word.line, np.ascontiguousarray(cut), None, word.cut_off)


def _line_of(page: Page, box: Box) -> int:
    """The line whose words' centres lie nearest to the box's."""
    if not page.words:
        return 0
    centre = box.y + box.height / 2
    nearest = min(page.words, key=lambda word: abs(word.box.y + word.box.height / 2 - centre))
    return nearest.line


def _ordered(page: Page, words: Sequence[Word]) -> Page:
    """In reading order: by line, then from left to right."""
    return replace(page, words=tuple(sorted(words, key=lambda word: (word.line, word.box.x))))
