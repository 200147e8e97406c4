"""Draws word boxes over the page, coloured by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.hand_labels import MAIN_HAND, NO_HAND
from handshift.page.word import Box
from handshift.page.word_kind import WordKind

NEUTRAL = (130, 130, 130)
VIVID = (
    # Okabe and Ito's colours, distinguishable with every kind of colour vision; their yellow is lost on
    # paper.
    (213, 94, 0),
    (0, 114, 178),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
)
KINDS = {
    # Duller than any hand's colour, and dashed: what is not compared must not look like a hand.
    WordKind.WRITING: NEUTRAL,
    WordKind.PRINT: (96, 125, 139),
    WordKind.STAMP: (142, 36, 60),
    WordKind.STRUCK_OUT: (121, 85, 72),
    WordKind.SIGNATURE: (85, 60, 140),
    WordKind.DRAWING: (158, 157, 36),
}
"""RGB of marks that are not compared, by kind."""
DEEPEST_SHADE = 0.6  # the ink must stay legible under it


def hand_colour(label: str) -> tuple[int, int, int]:
    """RGB of a hand: grey for the main one, vivid for B, C, …; after six the colours repeat."""
    if label in (MAIN_HAND, NO_HAND):
        return NEUTRAL
    place = 0
    for letter in label.upper():  # A … Z, AA, AB …, as columns of a table are named
        place = place * 26 + max(ord(letter) - ord("A") + 1, 0)
    return VIVID[(place - 2) % len(VIVID)]


def draw_words(
    image: NDArray[np.uint8],
    boxes: Sequence[Box],
    labels: Sequence[str],
    strength: Sequence[float] | None = None,
    lines: Sequence[int] | None = None,
    kinds: Sequence[WordKind] | None = None,
    marked: Sequence[bool] | None = None,
) -> NDArray[np.uint8]:
    """Draw each word's box in the colour of its hand, other marks dashed in the colour of their kind.

    Hands other than the main one also carry their letter, for printers without colour.

    Args:
        image: RGB pixels, height × width × 3.
        boxes: (words,) in pixels of ``image``.
        labels: (words,) names of hands.
        strength: (words,) 0…1, how strongly each box is shaded; no shading when not given.
        lines: (words,) line numbers from 0; each line's number, from 1, is written before its first word.
        kinds: (words,) what each is; all are writing when not given.
        marked: (words,) which have a thick black outline besides; none when not given.

    Returns:
        A copy of the image with the boxes.
    """
    if strength is None:
        strength = [0.0] * len(boxes)
    canvas = image.copy()
    pen = max(1, round(min(image.shape[:2]) / 900))
    if kinds is None:
        kinds = [WordKind.WRITING] * len(boxes)
    for box, label, degree, kind in zip(boxes, labels, strength, kinds, strict=True):
        if kind is not WordKind.WRITING:
            _dashed(canvas, box, KINDS[kind], 2 * pen)
            continue
        colour = hand_colour(label)
        _shade(canvas, box, colour, DEEPEST_SHADE * float(np.clip(degree, 0.0, 1.0)))
        corner = (box.x + box.width - 1, box.y + box.height - 1)
        main = label in (MAIN_HAND, NO_HAND)
        cv2.rectangle(canvas, (box.x, box.y), corner, colour, pen if main else 2 * pen)
        if not main:
            _write(canvas, label, (box.x + 2 * pen, box.y - 2 * pen), colour, pen)
    for box in compress(boxes, marked or ()):
        outer = (box.x - 3 * pen, box.y - 3 * pen)
        corner = (box.x + box.width + 2 * pen, box.y + box.height + 2 * pen)
        cv2.rectangle(canvas, outer, corner, (17, 17, 17), 2 * pen)
    if lines is not None:
        first = dict(reversed(list(zip(lines, boxes, strict=True))))  # the first word of a line wins
        for line, box in first.items():
            start = (max(box.x - 24 * pen, 0), box.y + box.height)
            _write(canvas, str(line + 1), start, NEUTRAL, pen)
    return canvas


def contact_sheet(images: Sequence[NDArray[np.uint8]], columns: int, width: int = 480) -> NDArray[np.uint8]:
    """Arrange RGB images in rows on white, each scaled to ``width`` pixels.

    Args:
        images: The images.
        columns: Images in a row.
        width: Width of each image in pixels.

    Returns:
        The sheet.

    Raises:
        ValueError: There is no image, or no column.
    """
    if not images or columns < 1:
        raise ValueError("a contact sheet needs at least one image and one column")
    margin = 8
    small = [_scaled(image, width) for image in images]
    rows = [small[start : start + columns] for start in range(0, len(small), columns)]
    heights = [max(image.shape[0] for image in row) for row in rows]
    across = min(columns, len(small))
    sheet = np.full(
        (sum(heights) + margin * (len(rows) + 1), across * (width + margin) + margin, 3), 255, np.uint8
    )
    top = margin
    for row, height in zip(rows, heights, strict=True):
        for place, image in enumerate(row):
            left = margin + place * (width + margin)
            sheet[top : top + image.shape[0], left : left + width] = image
        top += height + margin
    return sheet


def _shade(canvas: NDArray[np.uint8], box: Box, colour: tuple[int, int, int], opacity: float) -> None:
    part = canvas[max(box.y, 0) : box.y + box.height, max(box.x, 0) : box.x + box.width]
    if opacity > 0 and part.size:
        # Like a highlighter: paper takes the colour, ink stays dark.
        part[:] = np.rint(part * (1 - opacity * (1 - np.array(colour) / 255))).astype(np.uint8)


def _dashed(canvas: NDArray[np.uint8], box: Box, colour: tuple[int, int, int], pen: int) -> None:
    right, bottom, dash = box.x + box.width - 1, box.y + box.height - 1, 5 * pen
    for x in range(box.x, right, 2 * dash):
        for y in (box.y, bottom):
            cv2.line(canvas, (x, y), (min(x + dash, right), y), colour, pen)
    for y in range(box.y, bottom, 2 * dash):
        for x in (box.x, right):
            cv2.line(canvas, (x, y), (x, min(y + dash, bottom)), colour, pen)


def _write(
    canvas: NDArray[np.uint8], text: str, at: tuple[int, int], colour: tuple[int, int, int], pen: int
) -> None:
    at = (at[0], max(at[1], 12 * pen))  # a word at the upper edge keeps its letter on the page
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45 * pen, colour, pen, cv2.LINE_AA)


def _scaled(image: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    height = max(1, round(image.shape[0] * width / image.shape[1]))
    shrinks = width < image.shape[1]
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=how), np.uint8)
