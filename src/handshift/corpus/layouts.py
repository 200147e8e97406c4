"""Readers of the folder layouts in which handwriting corpora come, and their detection."""

from __future__ import annotations

import re
from pathlib import Path

from handshift.core.errors import CorpusError
from handshift.corpus.manifest import Corpus, Sample, collected, inside, read_manifest, read_rows
from handshift.page.scan import SCAN_SUFFIXES
from handshift.page.walk_files import natural_order, walk_files

MANIFEST = "manifest.csv"
WORD_TABLE = "naver_ocr.csv"
REPETITIONS_PER_SESSION = 9  # 3 prompts × 3 repeats, spec S0
_CSAFE_NAME = re.compile(r"(?P<writer>w\d+)_s(?P<session>\d+)_p(?P<prompt>[A-Za-z]+)_r(?P<repetition>\d+)")


def read_corpus(folder: Path | str) -> Corpus:
    """Detect the layout of a folder and read it.

    In this order: ``manifest.csv`` (CSAFE as shipped, DHSD, your own), ``naver_ocr.csv`` beside word folders,
    CSAFE file names, and plain ``<writer>/*.png``.

    Args:
        folder: The corpus, or a CSV manifest.

    Returns:
        The corpus.

    Raises:
        CorpusError: No layout is recognised, or the corpus is inconsistent.
    """
    folder = Path(folder)
    if folder.is_file():
        return read_manifest(folder)
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no such folder; check the spelling")
    if (folder / MANIFEST).is_file():
        return read_manifest(folder / MANIFEST)
    if (folder / WORD_TABLE).is_file():
        return read_word_folders(folder)
    images = _images(folder)
    if any(_CSAFE_NAME.fullmatch(image.stem) for image in images):
        return read_csafe(folder)
    return read_writer_folders(folder)


def read_csafe(folder: Path) -> Corpus:
    """Read ``w0001/w0001_s01_pLND_r02.png``: writer, session, prompt and repetition are in the name."""
    samples = []
    for image in _images(folder):
        name = _CSAFE_NAME.fullmatch(image.stem)
        if name is None:
            raise CorpusError(
                f"{image}: not named like the CSAFE pages around it (w0001_s01_pLND_r02.png); rename it"
            )
        session, repetition = int(name["session"]), int(name["repetition"])
        samples.append(Sample(image, name["writer"], session, name["prompt"], repetition))
    return collected(folder, samples)


def read_word_folders(folder: Path) -> Corpus:
    """Read ``<writer>/<word>_<repetition>.png`` by the table beside it; session = repetition // 9."""
    samples = []
    table = folder / WORD_TABLE
    for line, row in read_rows(table, ("image_path", "label", "detected_word", "repetition")):
        # The table was written on another machine: only writer and file name of its paths hold here.
        relative = "/".join(row["image_path"].replace("\\", "/").split("/")[-2:])
        try:
            repetition = int(row["repetition"])
            image = inside(folder, relative)
        except ValueError as error:
            raise CorpusError(f"{table}, line {line}: repetition should be a whole number") from error
        except CorpusError as error:
            raise CorpusError(f"{table}, line {line}: {error}") from error
        session = repetition // REPETITIONS_PER_SESSION
        text = row["detected_word"] or None
        page = f"{row['label']}_r{repetition:02d}"
        samples.append(Sample(image, row["label"], session, None, repetition, text, page))
    # Stable: within a page the words keep the table's order, which is their reading order.
    samples.sort(key=lambda sample: (sample.writer, sample.repetition))
    return collected(folder, samples)


def read_writer_folders(folder: Path) -> Corpus:
    """Read ``<writer>/…/*.png``: the folder's name is the writer's."""
    samples = [
        Sample(image, image.relative_to(folder).parts[0])
        for image in _images(folder)
        if image.parent != folder
    ]
    if not samples:
        raise CorpusError(
            f"{folder}: no corpus recognised. Put each writer's images into a folder of their own, "
            f"or write a {MANIFEST} with the columns path and writer"
        )
    return collected(folder, samples)


def _images(folder: Path) -> list[Path]:
    found = (path for path in walk_files(folder) if path.suffix.lower() in SCAN_SUFFIXES)
    return sorted(found, key=natural_order)
