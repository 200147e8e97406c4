"""Cutting a corpus into word pictures with progress, unless it has been done."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import track

from handshift.corpus.manifest import Corpus
from handshift.embed.collection import WordCollection, collect
from handshift.embed.cut import Cut
from handshift.embed.cut_record import FILE, CutRecord, recorded_cut
from handshift.error import HandshiftError
from handshift.lock import locked


def words_of(corpus: Corpus, folder: Path, cut: Cut | None = None) -> WordCollection:
    """The corpus's word pictures, kept in `folder` for the next time; cut anew if they are of another kind.

    Without `cut` the files are taken for what they were taken for the last time, at first for pages.
    """
    record = CutRecord.of(corpus, cut or recorded_cut(folder))
    if _lacking(folder, record):
        with locked(folder, patience=3600):  # another training may be cutting the same
            if reason := _lacking(folder, record):
                Console(stderr=True).print(f"{folder}: {reason}")
                _cut(corpus, folder, record)
    words = WordCollection.load(folder)
    if not len(words.crops):
        raise HandshiftError(
            f"{corpus.root}: no word was found in {len(corpus.samples)} files taken for {record.cut}s; "
            "say what they are with --cut page, word or picture"
        )
    return words


def _lacking(folder: Path, record: CutRecord) -> str:
    """Why the pictures in `folder` will not do; empty if they will."""
    if not (folder / "words.csv").exists():
        return "cut for the first time"
    differences = " and ".join(record.differences(folder))
    return f"cut anew, for its {differences} differ from what is wanted" if differences else ""


def _cut(corpus: Corpus, folder: Path, record: CutRecord) -> None:
    # First, so that a cut broken off is not taken for a whole one.
    for name in ("words.csv", FILE):
        (folder / name).unlink(missing_ok=True)
    pages = collect(corpus, folder, Cut(record.cut))
    for _ in track(pages, "cutting", total=len(corpus.samples)):
        pass
    record.save(folder)
