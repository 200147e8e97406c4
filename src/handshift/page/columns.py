"""Notes in the margin and two-page openings: parts of a page that are read one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.ink_blocks import ink_blocks

Mask = NDArray[np.uint8]
Cells = NDArray[np.bool_]

_ACROSS, _DOWN = 0.1, 0.5
"""Width and height of a cell, in line spacings."""
_CORRIDOR = 0.8
"""Least width of the white between a text and notes in its margin, in line spacings."""
_NOTE = 2.0
"""Least width of a note, in line spacings; the numbers of a list are narrower. It also has two lines at
least, or stands clear by a wide corridor: one word may stand out of ragged lines."""
_CLEAR, _WORD = 1.3, 0.8
"""Width of such a corridor, in line spacings, and of a note beyond it at least."""
_BESIDE, _INK = 0.45, 0.35
"""Notes stand beside less than this share of the text's rows and have less than this share of the ink; a
column of a table stands beside all."""
_ALIGNED = 0.5
"""Share of the text's rows that begin at the corridor, if notes stand on its left."""
_TEXT = 4.0
"""Line spacings of text beside notes at least."""

_LANDSCAPE = 1.2
"""Width over height from which on a picture may show two pages."""
_GUTTER = (0.38, 0.62)
"""Between which shares of the width the gutter lies."""
_BARE = 0.03
"""Share of the width that is bare of writing about the gutter."""
_FOLD = 9.0
"""Grey levels by which the gutter is darker or lighter than the paper on either side."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a page is divided from top to bottom, and in which order its parts are read."""

    cuts: tuple[int, ...] = ()
    """Pixel columns, rising."""
    order: tuple[int, ...] = (0,)
    """For each part from the left, its place in reading order: notes follow the text."""
    notes: tuple[bool, ...] = (False,)
    """For each part from the left, whether it holds notes in the margin."""

    def in_note(self, column: float) -> bool:
        """Whether a column of pixels lies in a part with notes."""
        return self.notes[sum(column >= cut for cut in self.cuts)]


ONE_COLUMN = Columns()
"""Lines run through the whole page."""


def find_columns(mask: Mask, image: NDArray[np.uint8] | None, spacing: float) -> Columns:
    """Find the two pages of an opening, or notes beside a text.

    An opening needs a gutter that shows, as a fold or shadow does: the columns of a list have none, and
    their lines run through the whole page.

    Args:
        mask: 1 where a stroke is.
        image: RGB pixels of the page; no opening is looked for without them.
        spacing: Distance between lines in pixels.
    """
    cell = max(1, round(_ACROSS * spacing))
    cells = _cells(mask, cell, max(1, round(_DOWN * spacing)))
    if not cells.any():
        return ONE_COLUMN
    gutter = None if image is None else _gutter(cells, image, cell)
    if gutter is not None:
        return Columns((gutter,), (0, 1), (False, False))
    corridors = list(_corridors(cells))
    left = [at for at, wide, before, after in corridors if _noted(before, after, wide, aligned=True)]
    right = [at for at, wide, before, after in corridors if _noted(after, before, wide, aligned=False)]
    cuts = tuple(cell * at for at in sorted({*left[:1], *right[-1:]}))
    if not cuts:
        return ONE_COLUMN
    orders = {(True, True): (1, 0, 2), (True, False): (1, 0), (False, True): (0, 1)}
    order = orders[bool(left), bool(right)]
    return Columns(cuts, order, tuple(place > 0 for place in order))


def _cells(mask: Mask, across: int, down: int) -> Cells:
    """Whether there is ink in each cell; (rows, columns)."""
    height, width = mask.shape
    below, beside = -height % down, -width % across
    padded = cv2.copyMakeBorder(mask, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=0)
    return ink_blocks(padded, across, down)


def _corridors(cells: Cells) -> Iterator[tuple[int, float, Cells, Cells]]:
    """Columns without ink between columns with ink: their middle, width in spacings, cells on both sides."""
    inked = np.flatnonzero(cells.any(axis=0))
    for before, after in pairwise(inked.tolist()):
        wide = (after - before - 1) * _ACROSS
        if wide >= _CORRIDOR:
            yield (before + after) // 2, wide, cells[:, : before + 1], cells[:, after:]


def _noted(note: Cells, text: Cells, wide: float, aligned: bool) -> bool:
    """Whether one side of a corridor holds notes on the text of the other side."""
    rows, beside = text.any(axis=1), note.any(axis=1)
    if rows.sum() * _DOWN < _TEXT or beside.sum() > _BESIDE * rows.sum():
        return False
    if note.sum() > _INK * (note.sum() + text.sum()):
        return False
    clear = wide >= _CLEAR
    if np.ptp(np.flatnonzero(note.any(axis=0))) * _ACROSS < (_WORD if clear else _NOTE):
        return False
    if aligned and np.mean(text[rows].argmax(axis=1) * _ACROSS < 1.5) < _ALIGNED:
        return False
    return bool(clear or beside.sum() * _DOWN >= _NOTE + 0.5)


def _gutter(cells: Cells, image: NDArray[np.uint8], cell: int) -> int | None:
    """The column of pixels between the two pages of an opening."""
    height, width = image.shape[:2]
    if width < _LANDSCAPE * height:
        return None
    begin, end = (int(share * width / cell) for share in _GUTTER)
    empty = np.asarray(cells.any(axis=0)) == 0
    runs = np.flatnonzero(np.diff(np.concatenate([[False], empty[begin:end], [False]]).astype(int)))
    spans = [(int(a) + begin, int(b) + begin) for a, b in zip(runs[::2], runs[1::2], strict=True)]
    start, stop = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
    if (stop - start) * cell < _BARE * width:
        return None
    halves = cells[:, :start].any(axis=1).sum(), cells[:, stop:].any(axis=1).sum()
    if min(halves) * _DOWN < _TEXT:
        return None
    grey = np.percentile(image[:: max(1, height // 200)].max(axis=2), 60, axis=0)
    paper = np.median(grey[max(0, start * cell - width // 4) : stop * cell + width // 4])
    off = np.abs(grey[start * cell : stop * cell] - paper)
    return start * cell + int(off.argmax()) if off.max() >= _FOLD else None
