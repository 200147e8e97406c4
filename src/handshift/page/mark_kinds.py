"""Assigns every mark of a page its kind: only writing is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import stroke_width
from handshift.page.frames import Frame
from handshift.page.ink import Ink
from handshift.page.printed_words import printed_words
from handshift.page.strike_out import struck_out
from handshift.page.word import Box, Word
from handshift.page.word_kind import WordKind

_INK = 95
_TALL = 6.2
"""Height of a drawing or flourish, in letter sizes; a word with ascender and descender has about three, and
4 of about 1,500 words on eight pages of copiste have 5.2 to 5.5."""
_LONG, _FLAT = 6.0, 0.45
"""Width and height of a rule or dash, in letter sizes."""
_SIGNED, _WIDE = 3.6, 3.0
"""Height and width of a signature, in letter sizes, where it stands below the text."""
_APART = 1.5
"""Line spacings between a signature and the text; the last words of a text stand closer."""
_COLOUR = 22.0
"""Distance in CIE Lab between a stamp's ink and that of the writing; a frame of a form is nearer."""


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
    bottom = _last_line(words, size) + (_APART - 0.5) * spacing
    written = [at for at, kind in enumerate(kinds) if kind is WordKind.WRITING]
    for at in written:
        word = words[at]
        height, width = word.ink.shape
        if height > _TALL * size or (width > _LONG * size and height < _FLAT * size):
            kinds[at] = WordKind.DRAWING
        signed = height > _SIGNED * size and width > _WIDE * size
        if signed and word.box.y + 0.5 * word.box.height > bottom:
            kinds[at] = WordKind.SIGNATURE
    for at in np.flatnonzero(struck_out([words[at] for at in written], size)).tolist():
        kinds[written[at]] = WordKind.STRUCK_OUT
    stamps = [frame.box for frame in frames if _is_stamp(frame, frames, words, image)]
    for at, word in enumerate(words):
        if any(_inside(word.box, stamp) for stamp in stamps):
            kinds[at] = WordKind.STAMP
    line = max(word.line for word in words) + 1
    marks = [
        Word(
            frame.box,
            line + number,
            np.zeros((1, 1), np.uint8),
            kind=WordKind.STAMP if frame.box in stamps else WordKind.DRAWING,
        )
        for number, frame in enumerate(frames)
    ]
    return [*(replace(word, kind=kind) for word, kind in zip(words, kinds, strict=True)), *marks]


def _last_line(words: Sequence[Word], size: float) -> float:
    """Where the text ends: the lower edge of the last line that has three words of ordinary height."""
    lines: dict[int, list[float]] = {}
    for word in words:
        if word.ink.shape[0] < _SIGNED * size:
            lines.setdefault(word.line, []).append(word.box.y + word.box.height)
    full = [float(np.median(ends)) for ends in lines.values() if len(ends) >= 3]
    return max(full, default=float("inf"))


def _is_stamp(frame: Frame, frames: Sequence[Frame], words: Sequence[Word], image: NDArray[np.uint8]) -> bool:
    """A ring, a frame in another colour than the writing, or a frame within a frame."""
    height, width = image.shape[:2]
    if frame.rule or max(frame.box.width / width, frame.box.height / height) > 0.45:
        return False
    if frame.round:
        return True
    if any(
        other is not frame and _inside(other.box, frame.box) and _nearly(other.box, frame.box)
        for other in frames
    ):
        return True
    written = [word.box for word in words if not _inside(word.box, frame.box)][:40]
    if len(written) < 5:
        return False
    usual = np.median([_ink_colour(image, box) for box in written], axis=0)
    return bool(np.linalg.norm(_ink_colour(image, frame.box)[1:] - usual[1:]) > _COLOUR)


def _ink_colour(image: NDArray[np.uint8], box: Box) -> NDArray[np.float64]:
    """Mean Lab of the darkest twelfth of a box."""
    patch = image[box.y : box.y + box.height, box.x : box.x + box.width]
    step = max(1, round(np.sqrt(patch.shape[0] * patch.shape[1] / 20_000)))
    lab = cv2.cvtColor(
        np.ascontiguousarray(patch[::step, ::step]).astype(np.float32) / 255, cv2.COLOR_RGB2LAB
    )
    flat = lab.reshape(-1, 3)
    return np.asarray(flat[flat[:, 0] <= np.percentile(flat[:, 0], 8)].mean(axis=0), np.float64)


def _inside(box: Box, other: Box) -> bool:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    within = other.x < x < other.x + other.width and other.y < y < other.y + other.height
    return within and box.width <= other.width and box.height <= other.height


def _nearly(box: Box, other: Box) -> bool:
    return box.width > 0.6 * other.width and box.height > 0.6 * other.height


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
