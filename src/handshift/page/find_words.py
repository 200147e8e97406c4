"""The words of a page's ink: frames and print are set apart, lines are found, and words cut by their gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.added_lines import with_added_lines
from handshift.page.columns import ONE_COLUMN, Columns, find_columns
from handshift.page.components import Components, components_of
from handshift.page.deskew import Rotation, level_lines, level_ruled
from handshift.page.frames import Frame, find_frames
from handshift.page.ink import Ink, rescaled
from handshift.page.lines import cores_of_boxes, cores_of_columns, line_period
from handshift.page.mark_kinds import with_kinds, without_frames
from handshift.page.orientation import runs_sideways, upright_evidence, upright_features
from handshift.page.outlines import find_outlines, without_outlines
from handshift.page.seals import find_seals
from handshift.page.strokes import Strokes, strokes_by_line, x_height
from handshift.page.struck_out_division import divide_struck_out
from handshift.page.word import Box, Word
from handshift.page.word_gaps import words_of_strokes
from handshift.page.word_kind import WordKind
from handshift.page.word_marks import word_marks

_SPACING_TO_LETTER = 0.28
"""Height of small letters over the distance of lines, in ordinary writing."""
_LETTERS_TO_SPACING = 2.2
"""Distance of lines over the median letter height, assumed where a page has a single line."""
_CLOSEST = 0.35
"""Least distance of lines in a part of a page, in distances of the page's lines."""
_COLUMN_LINES = 4
"""From this many lines on, the writing is taken to fill the width of the sheet."""
_ALONE = 5
"""Percent of the words on either side that may stand in a margin."""
_SET_APART = 3
"""Printed or stamped words from which on the writing is looked for again without them."""
_SAME_HEIGHT = 1.3
"""Ratio of the heights of print and writing up to which the first look at the page holds."""
_STILL_APART = 0.6
"""Least distance of the lines of writing, relative to that measured with the print: what is left of a stamp
may have rows of its own."""
_FAINT_WORDS = 10
"""Words that must come to light on a page of which only print was seen."""
_HALO = 5
"""Pixels across that are erased about each pixel of print: its soft edge would show as faint ink."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The words of a page, and measures of its writing."""

    words: tuple[Word, ...]
    letter_size: float
    """In pixels of the words' ink, which a fine scan has fewer of than the boxes."""
    sheet_width: int
    """The page's width, in pixels of the words' ink."""
    column_width: int | None
    """Width of the writing in the same pixels, from four lines on; fewer need not fill a sheet."""
    upright: float = 0.0
    """Evidence that the page stands upright; negative where it is upside down."""
    sideways: bool = False
    """Whether the lines of writing run from top to bottom of the picture."""
    spacing: float = 0.0
    """Distance of lines, in pixels of the words' ink."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Ink with level lines, and how it lies on the scan."""

    ink: Ink
    image: NDArray[np.uint8]
    scan: tuple[int, ...]
    """Height and width before rotation."""
    rotation: Rotation | None


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one look at the ink found, and which pixels each word has."""

    found: Segmentation
    strokes: Strokes
    word_of: NDArray[np.int64]
    """(strokes,) word of each stroke, or −1."""


def find_words(
    ink: Ink, lines: Sequence[Box] | None, image: NDArray[np.uint8], smallest: float = 0.0
) -> Segmentation:
    """Find the words of a page by the gaps in its lines.

    Small print among writing would set the letter size and the distance of lines: where print or stamps are
    found, the writing is looked for once more without them.

    Args:
        ink: The ink map.
        lines: Boxes of lines that are given; they are detected without them.
        image: RGB pixels of the same size.
        smallest: Letter size below which letters are measured and no words cut.

    Returns:
        The words in reading order with their kinds, boxes in pixels of `image`.
    """
    pieces = components_of(ink)
    bare, frames = (ink, []) if lines else _without_frames(ink, pieces)
    ruled = None if lines else level_ruled(pieces, image)
    pieces = components_of(bare) if bare is not ink else pieces
    sideways = not lines and runs_sideways(pieces.mask)
    rotation: Rotation | None
    if ruled:
        rotation, bare = ruled
        bare, frames = _without_frames(bare, components_of(bare))
        frames = [replace(frame, box=_around(*rotation.undo(*_corners(frame.box)))) for frame in frames]
    else:
        rotation = None if lines else level_lines(pieces.mask)
        bare = rotation.apply(bare) if rotation else bare
    sheet = _Sheet(bare, image, ink.shape, rotation)
    reading = _read(sheet, lines, smallest)
    if reading is None:
        return Segmentation((), 0.0, ink.shape[1], None)
    found = reading.found
    if not lines and not sideways:
        found = _with_kinds(found, frames, image)
        found = _without_print(replace(reading, found=found), sheet, frames) or found
        size = found.letter_size
        parts = divide_struck_out(found.words, lambda words: word_marks(words, size).struck_out, size)
        found = replace(found, words=tuple(parts))
    return replace(found, sideways=sideways)


def _without_frames(ink: Ink, pieces: Components) -> tuple[Ink, list[Frame]]:
    """The ink without its rings, frames and long single strokes, and these; also seals, which stay."""
    frames = find_frames(pieces, pieces.letter_height)
    seals = [Frame(0, box, round=True, regular=True) for box in find_seals(pieces.mask)]
    spacing = line_period(pieces) or _LETTERS_TO_SPACING * pieces.letter_height
    kept = [frame for frame in frames if frame.regular or frame.rule]
    outlines = find_outlines(pieces, spacing, kept + seals) if spacing else []
    of_outlines = {outline.label for outline in outlines}
    frames = [frame for frame in frames if frame.label not in of_outlines]
    if frames:
        ink = without_frames(ink, pieces.labels, frames)
    if outlines:
        ink = without_outlines(ink, outlines)
    return ink, [*frames, *seals, *outlines]


def _corners(box: Box) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of a box's corners."""
    bottom, right = box.y + box.height - 1, box.x + box.width - 1
    return np.array([box.y, box.y, bottom, bottom]), np.array([box.x, right, box.x, right])


def _read(
    sheet: _Sheet, lines: Sequence[Box] | None = None, smallest: float = 0.0, closest: float = 0.0
) -> _Reading | None:
    """Lines and words of level ink, lines at least `closest` pixels apart; None where there is no line."""
    pieces, width = components_of(sheet.ink), sheet.scan[1]
    letters = pieces.letter_height
    if letters == 0:
        return None
    spacing = line_period(pieces, closest) or _LETTERS_TO_SPACING * letters
    columns = ONE_COLUMN
    if lines:
        cores = cores_of_boxes(lines, sheet.ink.shape)
    else:
        columns = find_columns(pieces.mask, None if sheet.rotation else sheet.image, spacing)
        cores = cores_of_columns(pieces.mask, columns, _spacings(sheet.ink, columns, spacing))
    if cores.count == 0:
        return None
    strokes = strokes_by_line(pieces, cores, spacing)
    # The x-height alone is noisy; the line spacing stabilises it.
    size = float(np.sqrt(x_height(strokes, spacing) * _SPACING_TO_LETTER * spacing))
    if size < smallest:
        return _Reading(Segmentation((), size, width, None), strokes, np.full(0, -1))
    inserted: frozenset[int] = frozenset()
    if not lines:
        strokes, inserted = with_added_lines(strokes, size)
    word_of = words_of_strokes(strokes, size)
    words = _cut(sheet, strokes, word_of, columns, inserted)
    upright = upright_evidence(upright_features(strokes, size, words), words, size)
    found = Segmentation(words, size, width, _column_width(words), upright, spacing=spacing)
    return _Reading(found, strokes, word_of)


def _spacings(ink: Ink, columns: Columns, spacing: float) -> list[float]:
    """Distance of lines in each part of a page, from the left; notes have closer lines than their text."""
    if not columns.cuts:
        return [spacing]
    parts = [components_of(part) for part in np.split(ink, columns.cuts, axis=1)]
    own = [line_period(part) for part in parts]
    return [
        max(_CLOSEST * spacing, period or _LETTERS_TO_SPACING * part.letter_height)
        for part, period in zip(parts, own, strict=True)
    ]


def _with_kinds(found: Segmentation, frames: Sequence[Frame], image: NDArray[np.uint8]) -> Segmentation:
    return replace(
        found, words=tuple(with_kinds(found.words, frames, image, found.letter_size, found.spacing))
    )


def _without_print(reading: _Reading, sheet: _Sheet, frames: Sequence[Frame]) -> Segmentation | None:
    """The writing of a page from whose ink print and stamps were erased, with those; None without any."""
    numbers = np.unique(reading.word_of[reading.word_of >= 0])
    # Words come in the order of their numbers; marks of frames follow them.
    words = reading.found.words[: numbers.size]
    apart = _mostly([word.kind in (WordKind.PRINT, WordKind.STAMP) for word in words], words)
    if apart.sum() < _SET_APART or _alike([word.ink.shape[0] for word in words], apart):
        return None
    strokes = reading.strokes
    ends = np.append(strokes.starts[1:], strokes.rows.size)
    erased = np.repeat(np.isin(reading.word_of, numbers[apart]), ends - strokes.starts)
    printed = np.zeros(sheet.ink.shape, np.uint8)
    printed[strokes.rows[erased], strokes.columns[erased]] = 1
    bare = np.where(cv2.dilate(printed, np.ones((_HALO, _HALO), np.uint8)) > 0, 0, sheet.ink)
    closest = _STILL_APART * reading.found.spacing
    again = _read(replace(sheet, ink=rescaled(bare.astype(np.uint8))), closest=closest)
    # Where nothing but print was found, faint writing may have been below it, or the dirt of the paper.
    if again is None or len(again.found.words) < (_FAINT_WORDS if apart.all() else 1):
        return None
    found = again.found
    merged = _in_reading_order(found.words, [word for word, one in zip(words, apart, strict=True) if one])
    return _with_kinds(replace(found, words=merged), frames, sheet.image)


def _alike(heights: Sequence[int], apart: NDArray[np.bool_]) -> bool:
    """Whether print is about as high as the writing, so that it does not disturb what is measured of it."""
    if apart.all():
        return False
    print_height, height = np.median(np.array(heights)[apart]), np.median(np.array(heights)[~apart])
    return bool(1 / _SAME_HEIGHT < print_height / height < _SAME_HEIGHT)


def _mostly(flags: Sequence[bool], words: Sequence[Word]) -> NDArray[np.bool_]:
    """Flags of words in lines that are flagged for the greater part: pieces of faint writing look alike."""
    lines, line = np.unique([word.line for word in words], return_inverse=True)
    share = np.bincount(line, weights=flags, minlength=lines.size) / np.bincount(line, minlength=lines.size)
    return np.asarray(np.asarray(flags, bool) & (share[line] >= 0.5))


def _in_reading_order(written: Sequence[Word], printed: Sequence[Word]) -> tuple[Word, ...]:
    """Lines of writing with lines of print between them, each before the first line that stands lower."""
    lines: list[list[Word]] = []
    for words in (written, printed):
        start = len(lines) if words is printed else 0
        by_line: dict[int, list[Word]] = {}
        for word in words:
            by_line.setdefault(word.line, []).append(word)
        for line in by_line.values():
            height = _middle(line)
            at = next((n for n, other in enumerate(lines) if start and _middle(other) > height), len(lines))
            lines.insert(at, line)
    return tuple(replace(word, line=number) for number, line in enumerate(lines) for word in line)


def _middle(line: Sequence[Word]) -> float:
    return float(np.median([word.box.y + word.box.height / 2 for word in line]))


def _column_width(words: Sequence[Word]) -> int | None:
    """Width of the text column, ignoring the few words that stand in a margin."""
    if len({word.line for word in words}) < _COLUMN_LINES:
        return None
    begin = np.percentile([word.box.x for word in words], _ALONE)
    end = np.percentile([word.box.x + word.box.width for word in words], 100 - _ALONE)
    return round(float(end - begin))


def _cut(
    sheet: _Sheet, strokes: Strokes, word_of: NDArray[np.int64], columns: Columns, inserted: frozenset[int]
) -> tuple[Word, ...]:
    """One crop for each word with its own strokes only; `inserted` lines and notes are marked as added."""
    ends = np.append(strokes.starts[1:], strokes.rows.size)
    pixels = np.repeat(word_of, ends - strokes.starts)
    order = np.argsort(pixels, kind="stable")
    order = order[pixels[order] >= 0]
    bounds = np.flatnonzero(np.diff(pixels[order], prepend=-1))
    words = []
    for at in np.split(order, bounds[1:]):
        if at.size == 0:
            continue
        rows, across = strokes.rows[at], strokes.columns[at]
        line = int(strokes.line[at[0]])
        box = _around(rows, across)
        crop = np.zeros((box.height, box.width), np.uint8)
        crop[rows - box.y, across - box.x] = sheet.ink[rows, across]
        added = line in inserted or columns.in_note(box.x + box.width / 2)
        box = _around(*sheet.rotation.undo(rows, across)) if sheet.rotation else box
        words.append(Word(box, line - 1, crop, cut_off=_at_edge(box, sheet.scan), added=added))
    return tuple(words)


def _around(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Box:
    """Bounding box of pixels, clipped at 0 where a rotation moved them over the edge."""
    y, x = max(0, int(rows.min())), max(0, int(columns.min()))
    return Box(x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1)


def _at_edge(box: Box, scan: tuple[int, ...]) -> bool:
    """Whether ink reaches the outermost pixels, or those beside them, of a scan (height, width)."""
    height, width = scan[:2]
    return min(box.x, box.y, width - box.x - box.width, height - box.y - box.height) <= 1
