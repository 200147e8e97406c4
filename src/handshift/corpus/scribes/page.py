"""Renders pages and words by synthetic scribes: anti-aliased ink on paper, with ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import CorpusError
from handshift.corpus.scribes.flow import Passage, PlacedWord, flow
from handshift.corpus.scribes.layout import Baseline, Layout, baseline_bends
from handshift.corpus.scribes.letters import writable
from handshift.corpus.scribes.paper import Paper, blank_paper, paper_tooth, scanned
from handshift.corpus.scribes.pen import Pen, pressed
from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.seeds import chance
from handshift.corpus.scribes.skeleton import Points
from handshift.corpus.scribes.trace import trace_word
from handshift.page.word import Box

_FINE = 4
"""Lines are drawn this many times larger and averaged down."""
_SHIFT = 3
"""Binary digits of the fraction in OpenCV's fixed-point coordinates."""
VISIBLE = 40
"""Opacity out of 255 from which a pixel counts as ink, about what a binarised scan keeps."""


@dataclass(frozen=True)
class Ink:
    """Opacity of some ink, 0 to 255, and the tight box it fills on the page."""

    box: Box
    opacity: NDArray[np.uint8]


def draw_ink(strokes: Sequence[Points], pen: Pen, dpi: float, draw: np.random.Generator) -> Ink:
    """Render strokes.

    Args:
        strokes: Pen paths in millimetres from the page's upper left corner, y downwards.
        pen: Width and darkness of the line.
        dpi: Resolution.
        draw: Source of randomness.

    Returns:
        The opacity and its position on the page.
    """
    scale = dpi / 25.4
    margin = pen.width_mm * scale + 4
    every = np.concatenate(strokes) * scale
    left, top = np.floor(every.min(axis=0) - margin).astype(int)
    right, bottom = np.ceil(every.max(axis=0) + margin).astype(int)
    fine = np.zeros(((bottom - top) * _FINE, (right - left) * _FINE), np.uint8)
    for stroke in strokes:
        width, opacity = pressed(stroke * (1, -1), pen, draw)
        path = (stroke * scale - (left, top)) * _FINE - 0.5
        _draw_stroke(fine, path, width * scale * _FINE, opacity)
    sharp = cv2.resize(fine, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    # A 150 dpi scanner sees each pixel through its neighbours.
    soft = cv2.GaussianBlur(sharp, (0, 0), 0.55 * max(1.0, dpi / 150))
    return _trimmed(np.asarray(soft, np.uint8), int(left), int(top))


def _draw_stroke(
    fine: NDArray[np.uint8], path: Points, width: NDArray[np.float64], opacity: NDArray[np.float64]
) -> None:
    fixed = np.round(path * (1 << _SHIFT)).astype(int)
    thickness = np.maximum(1, np.round(width)).astype(int).tolist()
    shade = np.round(opacity * 255).astype(int).tolist()
    corners = [(x, y) for x, y in fixed.tolist()]
    for at in range(len(corners) - 1):
        cv2.line(fine, corners[at], corners[at + 1], shade[at], thickness[at], cv2.LINE_8, _SHIFT)


def _trimmed(opacity: NDArray[np.uint8], left: int, top: int) -> Ink:
    rows = np.flatnonzero(opacity.max(axis=1) >= VISIBLE)
    columns = np.flatnonzero(opacity.max(axis=0) >= VISIBLE)
    if not len(rows):  # a pen too pale to see: keep the whole patch rather than an empty box
        rows, columns = np.arange(opacity.shape[0]), np.arange(opacity.shape[1])
    y, x = int(rows[0]), int(columns[0])
    height, width = int(rows[-1]) - y + 1, int(columns[-1]) - x + 1
    return Ink(Box(left + x, top + y, width, height), opacity[y : y + height, x : x + width])


@dataclass(frozen=True, slots=True)
class ScribedWord:
    """One word and its ground truth."""

    box: Box
    """Tight around the word's ink."""
    line: int
    text: str
    scribe: int
    session: int
    ink: NDArray[np.uint8] = field(repr=False, compare=False)
    """The word's own opacity, 0 paper to 255 full ink, the size of its box."""


@dataclass(frozen=True, slots=True)
class ScribedPage:
    """A drawn page and its words in reading order."""

    image: NDArray[np.uint8] = field(repr=False)
    """RGB, height × width × 3."""
    words: tuple[ScribedWord, ...]
    dpi: float


def draw_page(
    passages: Sequence[Passage],
    *,
    seed: int,
    dpi: float = 150,
    paper: Paper | str = Paper.PLAIN,
    layout: Layout | None = None,
    pen: Pen | None = None,
    noise: float = 1.6,
) -> ScribedPage:
    """Write passages on a page; the same arguments give the same page under one numpy and OpenCV.

    `pen` puts one pen in every hand, so that ink can't separate hands; `noise` is the scanner's, in grey
    levels.
    """
    if not 50 <= dpi <= 1200:
        raise CorpusError(f"{dpi} dpi is no scan; use 50 to 1200")
    if paper not in list(Paper):
        raise CorpusError(f"paper {paper!r} is not one of {', '.join(Paper)}")
    paper, layout = Paper(paper), layout or Layout()
    words = flow(passages, layout.text_width_mm, seed)
    if not words:
        raise CorpusError("the passages hold no words")
    draw = chance("page", seed)
    baselines = layout.baselines_mm(words[-1].line + 1, words[0].scribe, paper)
    height, width = layout.pixels(dpi)
    page = blank_paper(paper, height, width, dpi, layout.rules_mm(baselines), draw)
    tooth = paper_tooth(height, width, draw)
    bends = baseline_bends(baselines, words, layout, paper, draw)
    drawn = []
    for number, word in enumerate(words):
        hand_pen = pen or word.scribe.traits.pen
        strokes = [_on_line(stroke, word, bends[word.line], layout) for stroke in word.trace.strokes]
        ink = draw_ink(strokes, hand_pen, dpi, chance("ink", seed, number))
        _soak(page, ink, hand_pen, tooth, word)
        drawn.append(
            ScribedWord(ink.box, word.line, word.text, word.scribe.number, word.scribe.session, ink.opacity)
        )
    return ScribedPage(scanned(page, tooth, noise, draw), tuple(drawn), dpi)


def draw_word(
    scribe: Scribe, text: str, seed: int, *, dpi: float = 150, pen: Pen | None = None
) -> NDArray[np.uint8]:
    """One word's ink, 0 paper to 255 full ink, cropped to its tight box."""
    if not text or any(character.isspace() for character in text):
        raise CorpusError(f"{text!r} is not one word; draw_page writes running text")
    trace = trace_word(scribe, writable(text), chance("word", seed))
    strokes = [stroke * (1, -1) for stroke in trace.strokes]
    return draw_ink(strokes, pen or scribe.traits.pen, dpi, chance("ink", seed)).opacity


def _on_line(stroke: Points, word: PlacedWord, baseline: Baseline, layout: Layout) -> Points:
    x = word.x + stroke[:, 0]
    return np.stack([layout.left_mm + x, baseline(x) - stroke[:, 1]], axis=1)


def _soak(
    page: NDArray[np.float32], ink: Ink, pen: Pen, tooth: NDArray[np.float32], word: PlacedWord
) -> None:
    x, y, width, height = ink.box
    if x < 0 or y < 0 or x + width > page.shape[1] or y + height > page.shape[0]:
        raise CorpusError(
            f"the word {word.text!r} on line {word.line + 1} leaves the page; widen the margins"
        )
    spot = np.s_[y : y + height, x : x + width]
    cover = ink.opacity.astype(np.float32) / 255 * np.clip(1 - pen.grain * (0.5 + 0.5 * tooth[spot]), 0.2, 1)
    page[spot] += (np.array(pen.colour, np.float32) - page[spot]) * cover[:, :, None]
