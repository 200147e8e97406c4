"""Pages of several databases read as the commands read them: their word vectors, computed once and stored.

Run by itself it fills the cache, which may be stopped and resumed, and counts pages and words:

Example: python benchmarks/database_pages.py --data ../shared/data --part validation
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.core.atomic import write_bytes
from handshift.core.errors import PageError
from handshift.core.loaders import read_npz
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.word_vectors import vectors_by_network
from handshift.models.shipped_models import find_model
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.read_pages import process_pages

DATABASES = ("csafe", "iam", "copiste")


@dataclass(frozen=True)
class KnownPage:
    """One page by a known writer, with the vectors of its legible words."""

    record: Record
    vectors: NDArray[np.float32]
    """(words, dimensions), row length weights the word."""
    line: NDArray[np.int64]
    """(words,) line of each word."""

    @property
    def writer(self) -> str:
        """Unique over all databases."""
        return self.record.writer

    @property
    def session(self) -> int:
        """Day of writing."""
        return self.record.session

    @property
    def words(self) -> int:
        """Number of legible words."""
        return len(self.line)


def page_options(options: argparse.ArgumentParser, part: str = "test") -> None:
    """Add the options that say which pages are read and where their vectors are stored."""
    options.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument("--cache", type=Path, default=Path("runs/pages"), help="cache of page vectors")
    options.add_argument(
        "--vectors", type=Path, help="of CSAFE by this model, as `handshift embed` writes them, without lines"
    )
    options.add_argument("--part", default=part)
    options.add_argument("--model", default=None)


def known_pages(
    given: argparse.Namespace, database: str, part: str | None = None, lines: bool = False
) -> list[KnownPage]:
    """Every page of one part of a database that has a legible word; vectors not yet stored are computed.

    Args:
        given: The options.
        database: Its name.
        part: Of the split; that of the options if not given.
        lines: Whether the line of each word is needed, which ``--vectors`` does not have.
    """
    if given.vectors and database == "csafe" and not lines:
        return list(_embedded_pages(given, part or given.part))
    return list(_pages(given, database, part or given.part))


def _embedded_pages(given: argparse.Namespace, part: str) -> Iterator[KnownPage]:
    """CSAFE's pages from vectors that were computed for all studies."""
    everything = read_database(given.data, "csafe")
    writers = load_split(everything, given.splits).parts[part]
    records = {
        one.path.relative_to((given.data / "csafe").resolve()).as_posix()
        if one.path.is_absolute()
        else one.path.relative_to(given.data / "csafe").as_posix(): one
        for one in everything.written_by(writers).records
    }
    table = vectors_by_network(find_model(given.model).folder / "words.onnx", given.vectors)
    order = np.argsort(table.page, kind="stable")
    names, first, count = np.unique(table.page[order], return_index=True, return_counts=True)
    for name, start, words in zip(names, first, count, strict=True):
        if str(name) in records:
            rows = order[start : start + words]
            yield KnownPage(records[str(name)], np.array(table.vectors[rows]), np.zeros(words, np.int64))


def _pages(given: argparse.Namespace, database: str, part: str) -> Iterator[KnownPage]:
    everything = read_database(given.data, database)
    writers = load_split(everything, given.splits).parts[part]
    records = [one for one in everything.written_by(writers).records if one.holds is Holds.PAGE]
    model = find_model(given.model)
    folder = given.cache / model.fingerprint()[:16] / database
    embedder = None
    for number, record in enumerate(records, 1):
        name = sha256(record.path.read_bytes()).hexdigest()[:24]
        path = folder / f"{name}.npz"
        if not path.is_file():
            embedder = embedder or model.embedder(1)
            for page in process_pages(record.path, partial(embed_page, embedder)):
                if isinstance(page, PageError):
                    raise page
                _store(path, page.vectors, [word.line for word in page.words])
            if number % 50 == 0:
                print(f"{database}, {part}: {number} of {len(records)} pages", file=sys.stderr, flush=True)
        stored = read_npz(path)
        if len(stored["line"]):
            yield KnownPage(record, stored["vectors"], stored["line"])


def _store(path: Path, vectors: NDArray[np.float32], line: Sequence[int]) -> None:
    content = io.BytesIO()
    np.savez(content, vectors=vectors, line=np.array(line, np.int64))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content.getvalue())


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    page_options(benchmark.options)
    benchmark.options.add_argument("--database", action="append", help="only this one; may be repeated")
    given = benchmark.begin()
    counts = {}
    for database in given.database or DATABASES:
        for part in given.part.split("+"):
            found = known_pages(given, database, part)
            words = sum(page.words for page in found)
            counts[f"{database}, {part}"] = {"pages": len(found), "words": words}
    benchmark.write({"model": find_model(given.model).card.id, "read": counts})


if __name__ == "__main__":
    main()
