"""The word pictures of a database, cut once and kept on disk."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.core.atomic import write_text
from handshift.core.errors import CorpusError, HandshiftError, PageError
from handshift.core.loaders import read_json
from handshift.corpus.databases.record import Database, Record
from handshift.embedding.crops.collection import WordCollection, as_npy
from handshift.embedding.crops.record_cut import record_crops
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.crops.writing_scale import SPREAD
from handshift.embedding.word_table import REQUIRED, SIZE, TABLE, size_text

CUT = "cut.json"
CUTTING = 5
"""Grows when words are found or drawn otherwise, so that old cuts are made anew."""


def collect_records(database: Database, folder: Path, workers: int = 2) -> Iterator[int]:
    """Cut the words of every record, yielding the number of words of each as it is done.

    Args:
        database: The records.
        folder: Where `crops.npy`, `words.csv` and `cut.json` go; rows are in the order of the records.
        workers: Processes.

    Yields:
        The number of words of one record; 0 for a file that cannot be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (TABLE, CUT):
        (folder / name).unlink(missing_ok=True)
    raw, table = folder / "crops.raw.partial", folder / f"{TABLE}.partial"
    total = 0
    with (
        raw.open("wb") as pictures,
        table.open("w", encoding="utf-8", newline="") as lines,
        # Spawned, not forked: a fork inherits the locks of threads that torch or OpenCV may hold.
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        writer = csv.writer(lines)
        writer.writerow((*REQUIRED, SIZE))
        cuts = pool.map(_crops, database.records, chunksize=16)
        for record, (crops, sizes) in zip(database.records, cuts, strict=True):
            pictures.write(crops.tobytes())
            about = (record.page, record.writer, record.session, record.prompt)
            writer.writerows((*about, size_text(size)) for size in sizes)
            total += len(crops)
            yield len(crops)
    as_npy(raw, folder / "crops.npy", total)
    table.replace(folder / TABLE)
    write_text(folder / CUT, json.dumps(_manner(database), indent=1))


def load_records(database: Database, folder: Path) -> WordCollection:
    """Open what `collect_records` wrote.

    Args:
        database: What the words should have been cut from.
        folder: Where they were put.

    Returns:
        The words; pictures stay on disk until they are asked for.

    Raises:
        HandshiftError: There is nothing, or it was cut from other files or in another manner.
    """
    found = read_json(folder / CUT, "the record of a cut") if (folder / CUT).exists() else None
    if found != _manner(database):
        state = "are not cut yet" if found is None else "were cut from other files or at another scale"
        raise HandshiftError(f"{folder}: the words of {database.name} {state}; run `handshift corpus cut`")
    return WordCollection.load(folder)


def _manner(database: Database) -> dict[str, object]:
    return {
        "database": database.name,
        "records": len(database.records),
        "canvas": [HEIGHT, WIDTH],
        "spread": SPREAD,
        "cutting": CUTTING,
    }


def _crops(record: Record) -> tuple[NDArray[np.uint8], Floats]:
    cv2.setNumThreads(1)
    try:
        return record_crops(record)
    except (PageError, CorpusError):
        return np.zeros((0, HEIGHT, WIDTH), np.uint8), np.zeros(0)
