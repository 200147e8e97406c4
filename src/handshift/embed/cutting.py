"""Cutting a corpus into word pictures with progress, unless it has been done."""

from __future__ import annotations

from pathlib import Path

from rich.progress import track

from handshift.corpus.manifest import Corpus
from handshift.embed.collection import WordCollection, collect
from handshift.embed.cut import Cut


def words_of(corpus: Corpus, folder: Path, cut: Cut = Cut.PAGE) -> WordCollection:
    """The corpus's word pictures, kept in `folder` for the next time."""
    if not (folder / "words.csv").exists():
        pages = collect(corpus, folder, cut)
        for _ in track(pages, "cutting words", total=len(corpus.samples)):
            pass
    return WordCollection.load(folder)
