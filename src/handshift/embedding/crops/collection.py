"""Word crops of a whole corpus, cut once and stored on disk."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError, PageError
from handshift.core.loaders import LoadError, map_npy
from handshift.corpus.manifest import Corpus
from handshift.embedding.crops.file_contents import FileContents, file_crops
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.word_table import COLUMNS, TABLE, WordRows
from handshift.engine.engine import Engine
from handshift.engine.local_processes import LocalProcesses

_NONE: NDArray[np.uint8] = np.zeros((0, HEIGHT, WIDTH), np.uint8)
SKIPPED = "skipped.csv"
"""Files without a word, and why."""


@dataclass(frozen=True)
class WordCollection:
    """Word crops and, row by row, their page, writer, session and prompt."""

    crops: NDArray[np.uint8]
    """(words, 64, 240), a memory map."""
    page: NDArray[np.str_]
    writer: NDArray[np.str_]
    session: NDArray[np.int64]
    prompt: NDArray[np.str_]
    size: NDArray[np.float64] | None = None
    """(words,) ln of the size in mm, NaN where the resolution is not known; None where it is of no word."""

    def rows_of(self, writers: Iterable[str]) -> NDArray[np.int64]:
        """Return the row numbers of all words by these writers."""
        return np.flatnonzero(np.isin(self.writer, list(writers)))

    @classmethod
    def load(cls, folder: Path) -> WordCollection:
        """Open what `collect` wrote; crops are memory-mapped.

        Raises:
            OSError: The table cannot be read.
            LoadError: The crops cannot be read.
            ValueError: Crops and table have different lengths, or one is damaged.
            KeyError: The table lacks a column.
        """
        rows = WordRows.read(folder / TABLE)
        crops = map_npy(folder / "crops.npy")
        if len(rows) != len(crops):
            raise ValueError(f"{folder}: {len(crops)} pictures but {len(rows)} rows; collect it again")
        return cls(crops, rows.page, rows.writer, rows.session, rows.prompt, rows.size)


def load_words(folder: Path) -> WordCollection:
    """Open a folder of word crops given by the user.

    Raises:
        HandshiftError: The folder holds no crops, or they are damaged.
    """
    try:
        return WordCollection.load(folder)
    except (OSError, ValueError, KeyError, LoadError) as error:
        raise HandshiftError(f"{folder}: not a folder of word crops ({error})") from error


def collect(
    corpus: Corpus,
    folder: Path,
    cut: FileContents = FileContents.PAGE,
    workers: int = 2,
    scaling: Scaling = Scaling.SHEET,
    engine: Engine | None = None,
) -> Iterator[int]:
    """Cut the words of every file into `folder`.

    Args:
        corpus: The files.
        folder: Where crops.npy and words.csv are written.
        cut: What a file holds.
        workers: Number of processes.
        scaling: What the scale of the crops is taken from.
        engine: Where files are cut; `workers` processes of this machine if None.

    Yields:
        The number of words of each file, when it is done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    raw = folder / "crops.raw.partial"
    total = 0
    skipped: list[tuple[str, str]] = []
    with (
        raw.open("wb") as pictures,
        (folder / "words.csv.partial").open("w", encoding="utf-8", newline="") as table,
    ):
        writer = csv.writer(table)
        writer.writerow(COLUMNS)
        engine = engine or LocalProcesses(workers)
        cuts = engine.map(CropWork(cut, scaling), (sample.path for sample in corpus.samples))
        for sample, outcome in zip(corpus.samples, cuts, strict=True):
            crops, problem = outcome.result or (_NONE, outcome.error or "")
            pictures.write(crops.tobytes())
            path = sample.path.relative_to(corpus.root).as_posix()
            row = (sample.page or path, sample.writer, sample.session or 0, sample.prompt or "", path)
            writer.writerows([(*row, sample.text or "")] * len(crops))
            if problem:
                skipped.append((path, problem))
            total += len(crops)
            yield len(crops)
    _write_skipped(folder / SKIPPED, skipped)
    as_npy(raw, folder / "crops.npy", total)
    (folder / "words.csv.partial").replace(folder / "words.csv")


@dataclass(frozen=True, slots=True)
class CropWork:
    """Makes the work of one worker: cut files into crops."""

    cut: FileContents
    scaling: Scaling = Scaling.SHEET

    def __call__(self) -> Callable[[Path], tuple[NDArray[np.uint8], str]]:
        """Nothing has to be loaded."""
        cv2.setNumThreads(1)
        return self.crops

    def crops(self, path: Path) -> tuple[NDArray[np.uint8], str]:
        """Crops of one file, and why there are none where there are none."""
        try:
            crops = file_crops(path, self.cut, self.scaling)
        except PageError as error:
            return _NONE, error.problem
        return crops, "" if len(crops) else "no legible word" if self.cut is FileContents.PAGE else "no ink"


def _write_skipped(path: Path, skipped: list[tuple[str, str]]) -> None:
    path.unlink(missing_ok=True)
    if skipped:
        content = io.StringIO()
        csv.writer(content, lineterminator="\n").writerows([("path", "problem"), *skipped])
        write_text(path, content.getvalue())


def skipped_files(folder: Path) -> list[tuple[str, str]]:
    """Return the files that `collect` found no word in, with the reason: (path, problem)."""
    if not (folder / SKIPPED).is_file():
        return []
    with (folder / SKIPPED).open(encoding="utf-8", newline="") as lines:
        return [(row["path"], row["problem"]) for row in csv.DictReader(lines)]


def as_npy(raw: Path, target: Path, count: int) -> None:
    """Prepend an .npy header to the raw crops, in blocks so that memory stays small."""
    unfinished = target.with_name(target.name + ".partial")
    array = np.lib.format.open_memmap(unfinished, "w+", np.uint8, (count, HEIGHT, WIDTH))
    source = np.memmap(raw, np.uint8, "r", shape=(count, HEIGHT, WIDTH))
    for start in range(0, count, 4096):
        array[start : start + 4096] = source[start : start + 4096]
    array.flush()
    unfinished.replace(target)
    raw.unlink()
