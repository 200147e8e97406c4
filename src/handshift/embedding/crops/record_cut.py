"""The word pictures of a record of any database: read or drawn, segmented, at the scale of the writing."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.corpus.databases.layouts import layout_named
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.rendering.fonts import draw_font_page
from handshift.corpus.rendering.strokes import draw_strokes, read_strokes
from handshift.corpus.scribes.texts import ENGLISH, ENGLISH_NOTE
from handshift.embedding.crops.file_contents import lone_word, with_margin
from handshift.embedding.crops.word_crop import is_legible
from handshift.embedding.crops.writing_scale import is_whole, scaled_crops, writing_scale
from handshift.embedding.crops.writing_size import word_sizes
from handshift.page.scan import read_scans
from handshift.page.segment import segment
from handshift.page.word import Word

Image = NDArray[np.uint8]


def record_image(record: Record) -> Image:
    """The picture of a record.

    Args:
        record: Any record; strokes and fonts are drawn with a pen and paper that depend on the record alone.

    Returns:
        (height, width, 3) RGB.

    Raises:
        PageError: A picture cannot be read.
        CorpusError: A file of strokes or a font cannot be read.
    """
    if record.holds is Holds.STROKES:
        return draw_strokes(read_strokes(record.path, record.index), _chance(record))
    if record.holds is Holds.FONT:
        return draw_font_page(record.path, _font_words(record), _chance(record))
    image = next(iter(read_scans(record.path))).image
    if record.box:
        x, y, width, height = record.box
        image = image[y : y + height, x : x + width]
    return image


def record_words(record: Record) -> list[Word]:
    """The legible words of a record.

    Args:
        record: Any record.

    Returns:
        Words in reading order; of a line, all its words; of a word picture, the one word in it.

    Raises:
        PageError: A picture cannot be read.
        CorpusError: A file of strokes or a font cannot be read.
    """
    image = record_image(record)
    if record.holds is Holds.WORD:
        word = lone_word(image)
        return [word] if word else []
    if record.holds is Holds.LINE:
        image = with_margin(image)
    found = segment(image)
    return [word for word in found.words if is_legible(word, found.letter_size)]


def whole_words(record: Record) -> list[Word]:
    """The words of a record that `record_crops` draws, in the same order; errors as `record_words`."""
    words = record_words(record)
    scale = writing_scale([word.ink for word in words])
    # Dots that were found as a line of their own, as above Arabic, are no words, nor do they show the scale.
    return [word for word in words if is_whole(word, scale)]


def record_crops(record: Record) -> tuple[NDArray[np.uint8], Floats]:
    """(words, 64, 240) of one record, all at one scale, and `word_sizes`; errors as `record_words`."""
    words = whole_words(record)
    crops = scaled_crops(words, writing_scale([word.ink for word in words]))
    return crops, word_sizes(words, record.dpi)


def _chance(record: Record) -> np.random.Generator:
    digest = hashlib.sha256(f"{record.page}#{record.index}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def _font_words(record: Record) -> tuple[str, ...]:
    if record.script is not layout_named(record.database).script:  # words.txt is in the database's own
        return tuple(f"{ENGLISH} {ENGLISH_NOTE}".split())
    return _words_of(record.path.parent.parent / "words.txt")


@lru_cache(maxsize=4)
def _words_of(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").split())
