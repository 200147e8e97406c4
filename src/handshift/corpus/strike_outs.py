"""Crosses words of a page out as people do, for training and measuring what recognises it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Box

Draw = np.random.Generator
Image = NDArray[np.uint8]
Points = NDArray[np.float64]
"""(points, 2): x and y of a stroke."""


def with_strike_outs(image: Image, words: Sequence[Box], share: float, draw: Draw) -> tuple[Image, list[Box]]:
    """Cross out some words of a page in the ink in which they are written.

    Args:
        image: RGB pixels.
        words: Boxes of its words.
        share: Of the words that are crossed out.
        draw: Random draw.

    Returns:
        The changed page, and the boxes of the words that are crossed out.
    """
    image = image.copy()
    crossed = [word for word in words if word.width >= _NARROWEST * word.height and draw.random() < share]
    for word in crossed:
        way = WAYS[int(draw.integers(len(WAYS)))]
        for stroke in way(word, draw):
            draw_stroke(image, word, stroke, draw)
    return image, crossed


def with_harmless_strokes(image: Image, words: Sequence[Box], share: float, draw: Draw) -> Image:
    """Draw strokes that cross nothing out: under words, above them, and long bars through one letter."""
    image = image.copy()
    for word in words:
        if draw.random() < share:
            way = HARMLESS[int(draw.integers(len(HARMLESS)))]
            for stroke in way(word, draw):
                draw_stroke(image, word, stroke, draw)
    return image


_NARROWEST = 0.8
"""Width of a word that is crossed out, of its height."""


def draw_stroke(image: Image, word: Box, stroke: Points, draw: Draw) -> None:
    """Draw a stroke in the word's ink; the pen's breadth varies about that of the word."""
    part = image[word.y : word.y + word.height, word.x : word.x + word.width].reshape(-1, 3)
    level = part.sum(axis=1)
    ink = np.median(part[level <= np.percentile(level, 8)], axis=0)
    breadth = max(1, round(word.height / 20 * draw.uniform(0.6, 2.0)))
    points = (stroke * 8).astype(np.int32)
    colour = tuple(float(value) for value in ink)
    cv2.polylines(image, [points], False, colour, breadth, cv2.LINE_AA, shift=3)


def line(word: Box, draw: Draw) -> list[Points]:
    """One line, straight or wavering, which may miss an end."""
    return [_level(word, draw, draw.uniform(0.38, 0.7))]


def two_lines(word: Box, draw: Draw) -> list[Points]:
    """Two lines, or one there and back."""
    middle, apart = draw.uniform(0.45, 0.62), draw.uniform(0.06, 0.14)
    first, second = (_level(word, draw, middle + side * apart) for side in (-1, 1))
    return [np.concatenate([first, second[::-1]])] if draw.random() < 0.5 else [first, second]


def three_lines(word: Box, draw: Draw) -> list[Points]:
    """Three lines or four, close to each other."""
    return [_level(word, draw, height) for height in np.linspace(0.35, 0.7, int(draw.integers(3, 5)))]


def zigzag(word: Box, draw: Draw) -> list[Points]:
    """A stroke that rises and falls in turn."""
    turns = max(5, int(word.width / (draw.uniform(0.18, 0.6) * word.height)))
    x = np.linspace(word.x - draw.uniform(-2, 8), word.x + word.width + draw.uniform(-2, 8), turns)
    reach = draw.uniform(0.15, 0.45) * word.height
    y = word.y + draw.uniform(0.45, 0.62) * word.height + reach * np.where(np.arange(turns) % 2, 1, -1)
    corners = np.column_stack([x + draw.normal(0, 0.03 * word.height, turns), y + draw.normal(0, 2, turns)])
    return [_rounded(corners) if draw.random() < 0.5 else corners]


def loops(word: Box, draw: Draw) -> list[Points]:
    """A scribble of loops along the word."""
    turns = max(3, int(word.width / (draw.uniform(0.12, 0.35) * word.height)))
    at = np.linspace(0, 1, 14 * turns)
    angle = 2 * np.pi * turns * at
    radius = draw.uniform(0.2, 0.42) * word.height
    x = word.x + word.width * at + draw.uniform(0.4, 1.0) * radius * np.cos(angle)
    y = word.y + draw.uniform(0.45, 0.6) * word.height + radius * np.sin(angle + draw.uniform(-0.5, 0.5))
    return [np.column_stack([x, y]) + _waver(at.size, draw, 0.06 * word.height)]


def cross(word: Box, draw: Draw) -> list[Points]:
    """Two slanting lines that cross."""
    low, high = draw.uniform(0.75, 1.0), draw.uniform(0.0, 0.25)
    return [_between(word, draw, high, low), _between(word, draw, low, high)]


def slashes(word: Box, draw: Draw) -> list[Points]:
    """Several parallel strokes aslant."""
    count = max(3, int(word.width / (draw.uniform(0.3, 0.6) * word.height)))
    lean = draw.uniform(0.2, 0.7) * word.height
    strokes = []
    for x in np.linspace(word.x, word.x + word.width - lean, count):
        ends = np.array([[x, word.y + 0.95 * word.height], [x + lean, word.y + 0.05 * word.height]])
        strokes.append(ends + draw.normal(0, 0.04 * word.height, (2, 2)))
    return strokes


def underline(word: Box, draw: Draw) -> list[Points]:
    """A line below the word."""
    return [_level(word, draw, draw.uniform(0.95, 1.12))]


def overline(word: Box, draw: Draw) -> list[Points]:
    """A line at the tops of the letters, as the long bar of a t."""
    return [_level(word, draw, draw.uniform(-0.1, 0.08))]


def bar(word: Box, draw: Draw) -> list[Points]:
    """A bar through a part of the word."""
    begin = draw.uniform(0, 0.7)
    part = word._replace(x=int(word.x + begin * word.width), width=max(4, int(0.3 * word.width)))
    return [_level(part, draw, draw.uniform(0.1, 0.5))]


WAYS: tuple[Callable[[Box, Draw], list[Points]], ...] = (
    line,
    line,
    line,
    two_lines,
    three_lines,
    zigzag,
    zigzag,
    loops,
    cross,
    slashes,
)
"""How words are crossed out; what is frequent or hard to see is named several times."""
HARMLESS: tuple[Callable[[Box, Draw], list[Points]], ...] = (underline, overline, bar)


def _level(word: Box, draw: Draw, height: float) -> Points:
    """A stroke along the word at a height of its box."""
    slope = draw.normal(0, 0.06)
    return _between(word, draw, height - slope, height + slope)


def _between(word: Box, draw: Draw, start: float, end: float) -> Points:
    over = draw.uniform(-0.12, 0.35, 2) * min(word.height, 40)
    along = np.linspace(0, 1, 24)
    x = word.x - over[0] + (word.width + over.sum()) * along
    y = word.y + word.height * (start + (end - start) * along)
    return np.column_stack([x, y + _waver(24, draw, draw.uniform(0, 0.03) * word.height)[:, 1]])


def _waver(count: int, draw: Draw, size: float) -> Points:
    """A smooth random deviation."""
    knots = draw.normal(0, size, (max(4, count // 8), 2))
    at, own = np.linspace(0, 1, count), np.linspace(0, 1, len(knots))
    return np.column_stack([np.interp(at, own, knots[:, 0]), np.interp(at, own, knots[:, 1])])


def _rounded(corners: Points) -> Points:
    """The corners cut twice (Chaikin)."""
    for _ in range(2):
        first, second = corners[:-1], corners[1:]
        corners = np.stack([0.75 * first + 0.25 * second, 0.25 * first + 0.75 * second], 1).reshape(-1, 2)
    return corners
