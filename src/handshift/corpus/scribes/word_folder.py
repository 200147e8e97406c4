"""A collection of word pictures by synthetic scribes, in the source's layout."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import CorpusError
from handshift.corpus.layouts import REPETITIONS_PER_SESSION, WORD_TABLE
from handshift.corpus.scribes.page import draw_word
from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.texts import ENGLISH
from handshift.corpus.split import Stratum, WriterSplit
from handshift.page.synthetic_mark import mark_synthetic

SPLIT = "split.json"
SHARES = {"train": 0.4, "validation": 0.15, "calibration": 0.3, "test": 0.15}
"""Of forty writers twelve calibrate, which needs ten."""
_MARGIN = 8
"""Pixels of paper round a word."""


def distinct_words(text: str = ENGLISH, count: int = 14) -> list[str]:
    """The first words of a text, each once, without punctuation: names of files.

    Raises:
        CorpusError: The text has fewer.
    """
    words = list(dict.fromkeys("".join(filter(str.isalnum, word)) for word in text.split()))
    words = [word for word in words if len(word) > 1]
    if len(words) < count:
        raise CorpusError(f"the text has {len(words)} distinct words, {count} are wanted")
    return words[:count]


def draw_word_folder(
    folder: Path, writers: int, repetitions: Sequence[int], words: Sequence[str], first: int = 0
) -> Iterator[int]:
    """Draw ``<writer>/<word>_<repetition>.png`` and naver_ocr.csv.

    Args:
        folder: Folder to make.
        writers: Number of scribes.
        repetitions: Numbers of the pages of a scribe; nine pages make a session (repetition // 9).
        words: The words of a page, in reading order; each names a file.
        first: Number of the first scribe.

    Yields:
        The number of pictures of each writer, when they are drawn.

    Raises:
        CorpusError: The folder holds something.
    """
    if folder.exists() and any(folder.iterdir()):
        raise CorpusError(f"{folder}: holds something; give a new folder")
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(("image_path", "label", "detected_word", "repetition"))
    for number in range(writers):
        name = f"{number:04d}"
        for repetition in repetitions:
            scribe = Scribe(first + number, repetition // REPETITIONS_PER_SESSION)
            for place, word in enumerate(words):
                path = folder / name / f"{word}_{repetition}.png"
                ink = draw_word(scribe, word, seed=(number * 1000 + repetition) * 1000 + place)
                paper = np.pad(255 - ink, _MARGIN, constant_values=255)
                write_bytes(path, mark_synthetic(cv2.imencode(".png", paper)[1].tobytes()))
                rows.writerow((f"{name}/{path.name}", name, word, repetition))
        yield len(repetitions) * len(words)
    write_text(folder / WORD_TABLE, table.getvalue())


def split_drawn(folder: Path, writers: int) -> WriterSplit:
    """Split the writers of such a folder and write split.json into it."""
    names = {f"{number:04d}": 1 for number in range(writers)}
    split = WriterSplit.make(folder.name, names, 0, (Stratum(1, SHARES),))
    split.save(folder / SPLIT)
    return split
