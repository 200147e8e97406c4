"""Assigns every mark of a page its kind: only writing is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.bare_strokes import is_bare_stroke
from handshift.page.components import stroke_width
from handshift.page.frames import Frame
from handshift.page.ink import Ink
from handshift.page.printed_words import printed_words
from handshift.page.signatures import signatures
from handshift.page.stamps import belongs, find_stamps, words_in_stamps
from handshift.page.upright_lines import pieces_of_upright_lines
from handshift.page.word import Word
from handshift.page.word_kind import WordKind
from handshift.page.word_marks import word_marks

_INK = 95
_TALL = 6.2
"""Height of a drawing or flourish, in letter sizes; a word with ascender and descender has about three, and
4 of about 1,500 words on eight pages of copiste have 5.2 to 5.5."""
_FLOURISH = -1.0
"""Logit of being crossed out from which on a name below the text may have a flourish through it."""
_LONG, _FLAT = 6.0, 0.45
"""Width and height of a rule or dash, in letter sizes."""


def with_kinds(
    words: Sequence[Word], frames: Sequence[Frame], image: NDArray[np.uint8], size: float, spacing: float
) -> list[Word]:
    """The words with their kinds, followed by the frames as marks of their own.

    Args:
        words: Words of a page, boxes in pixels of `image`; those whose kind is known keep it.
        frames: Outlines that were taken out before the words were found.
        image: RGB pixels of the page.
        size: Height of small letters.
        spacing: Distance of lines.
    """
    kinds = [word.kind for word in words]
    if not words:
        return []
    for at in np.flatnonzero(printed_words(words, size)).tolist():
        kinds[at] = WordKind.PRINT
    stamps = find_stamps(words, frames, image)
    for at in words_in_stamps(words, stamps, image):
        kinds[at] = WordKind.STAMP
    written = [at for at, kind in enumerate(kinds) if kind is WordKind.WRITING]
    for at in written:
        height, width = words[at].ink.shape
        if (
            height > _TALL * size
            or (width > _LONG * size and height < _FLAT * size)
            or is_bare_stroke(words[at].ink, size)
        ):
            kinds[at] = WordKind.DRAWING
    tall = [words[at].box for at in written if kinds[at] is WordKind.DRAWING]
    lines = [*tall, *(frame.box for frame in frames)]
    for at in np.flatnonzero(
        pieces_of_upright_lines([words[at].box for at in written], lines, size, spacing)
    ).tolist():
        kinds[written[at]] = WordKind.DRAWING
    logits = word_marks([words[at] for at in written], size).struck_out
    crossed = logits > 0
    for at in np.flatnonzero(crossed).tolist():
        kinds[written[at]] = WordKind.STRUCK_OUT
    for at in signatures([words[at] for at in written], logits > _FLOURISH, size, spacing):
        kinds[written[at]] = WordKind.SIGNATURE
    line = max(word.line for word in words) + 1
    marks = [
        Word(
            frame.box,
            line + number,
            np.zeros((1, 1), np.uint8) if frame.ink is None else frame.ink,
            kind=WordKind.STAMP if any(belongs(frame.box, stamp) for stamp in stamps) else WordKind.DRAWING,
        )
        for number, frame in enumerate(frames)
    ]
    return [*(replace(word, kind=kind) for word, kind in zip(words, kinds, strict=True)), *marks]


def without_frames(ink: Ink, pieces_labels: NDArray[np.int32], frames: Sequence[Frame]) -> Ink:
    """The ink map with the outlines erased."""
    ink = ink.copy()
    for frame in frames:
        x, y, width, height = frame.box
        part = slice(y, y + height), slice(x, x + width)
        outline = (pieces_labels[part] == frame.label) & (ink[part] > _INK)
        reach = 2 * max(1, round(stroke_width(outline.astype(np.uint8)) / 4)) + 1
        ink[part][cv2.dilate(outline.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0] = 0
    return ink
