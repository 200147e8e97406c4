"""The word pictures of a whole corpus, cut once and kept on disk."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import PageError
from handshift.core.loaders import map_npy
from handshift.corpus.manifest import Corpus
from handshift.embedding.crops.file_contents import Cut, cut_file
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.word_table import TABLE, WordRows


@dataclass(frozen=True)
class WordCollection:
    """Pictures of words and, row for row, where each comes from."""

    crops: NDArray[np.uint8]
    """(words, 64, 240), a memory map."""
    page: NDArray[np.str_]
    writer: NDArray[np.str_]
    session: NDArray[np.int64]
    prompt: NDArray[np.str_]

    def rows_of(self, writers: Iterable[str]) -> NDArray[np.int64]:
        """Row numbers of all words by these writers."""
        return np.flatnonzero(np.isin(self.writer, list(writers)))

    @classmethod
    def load(cls, folder: Path) -> WordCollection:
        """Open what `collect` wrote; the pictures stay on disk until they are asked for."""
        rows = WordRows.read(folder / TABLE)
        crops = map_npy(folder / "crops.npy")
        if len(rows) != len(crops):
            raise ValueError(f"{folder}: {len(crops)} pictures but {len(rows)} rows; collect it again")
        return cls(crops, rows.page, rows.writer, rows.session, rows.prompt)


def collect(corpus: Corpus, folder: Path, cut: Cut = Cut.PAGE, workers: int = 2) -> Iterator[int]:
    """Cut the words of every page into `folder`, yielding the number of words of each page as it is done."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = folder / "crops.raw.partial"
    total = 0
    with (
        raw.open("wb") as pictures,
        (folder / "words.csv.partial").open("w", encoding="utf-8", newline="") as table,
        # Spawned, not forked: a fork inherits the locks of threads that torch or OpenCV may hold.
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        writer = csv.writer(table)
        writer.writerow(("page", "writer", "session", "prompt"))
        cuts = pool.map(partial(_crops, cut=cut), [sample.path for sample in corpus.samples], chunksize=8)
        for sample, crops in zip(corpus.samples, cuts, strict=True):
            pictures.write(crops.tobytes())
            page = sample.path.relative_to(corpus.root).as_posix()
            row = (page, sample.writer, sample.session or 0, sample.prompt or "")
            writer.writerows([row] * len(crops))
            total += len(crops)
            yield len(crops)
    as_npy(raw, folder / "crops.npy", total)
    (folder / "words.csv.partial").replace(folder / "words.csv")


def _crops(path: Path, cut: Cut) -> NDArray[np.uint8]:
    """Every picture of one file; an unreadable one has none."""
    cv2.setNumThreads(1)
    try:
        return cut_file(path, cut)
    except PageError:
        return np.zeros((0, HEIGHT, WIDTH), np.uint8)


def as_npy(raw: Path, target: Path, count: int) -> None:
    """Put a header before the raw pictures, page by page so that memory stays small."""
    unfinished = target.with_name(target.name + ".partial")
    array = np.lib.format.open_memmap(unfinished, "w+", np.uint8, (count, HEIGHT, WIDTH))
    source = np.memmap(raw, np.uint8, "r", shape=(count, HEIGHT, WIDTH))
    for start in range(0, count, 4096):
        array[start : start + 4096] = source[start : start + 4096]
    array.flush()
    unfinished.replace(target)
    raw.unlink()
