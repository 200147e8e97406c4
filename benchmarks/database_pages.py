"""Pages of several databases with the vectors of their words, of writers that took no part in training.

With ``--vectors`` they are those that `handshift corpus embed` wrote, by the model's network, so that nothing
is embedded twice. These words were cut by `handshift corpus cut`, which segments as the commands do, but
neither turns a page nor leaves out what a command takes for print, a strike-out or a signature. Without it,
pages are read as the commands read them and their vectors stored. Run by itself it fills that store, which
may be stopped and resumed, and counts pages and words:

Example: python benchmarks/database_pages.py --data ../shared/data --part validation
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
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
from handshift.embedding.crops.record_collection import CUTTING
from handshift.embedding.crops.record_cut import whole_words
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.word_vectors import WordVectors, vectors_by_network
from handshift.models.shipped_models import NETWORK, find_model
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.read_pages import process_pages

DATABASES = ("csafe", "iam", "copiste")


@dataclass(frozen=True)
class KnownPage:
    """One sheet by a known writer, with the vectors of its legible words."""

    records: tuple[Record, ...]
    """The scan of the sheet, or the pictures of its lines."""
    vectors: NDArray[np.float32]
    """(words, dimensions), row length weights the word."""
    line: NDArray[np.int64] | None = None
    """(words,) line of each word; None where only the sheet was embedded."""
    sizes: NDArray[np.float64] | None = None
    """(words,) ln of each word's size, where it is compared too."""

    @property
    def rows(self) -> NDArray[np.float32]:
        """(words, dimensions), and the sizes in a column beside them where they are compared."""
        return self.vectors if self.sizes is None else with_sizes(self.vectors, self.sizes)

    @property
    def record(self) -> Record:
        """The scan, or the first line."""
        return self.records[0]

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
        return len(self.vectors)


def page_options(options: argparse.ArgumentParser, part: str = "test") -> None:
    """Add the options that say which pages are read and where their vectors are stored."""
    options.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument("--cache", type=Path, default=Path("runs/pages"), help="what was computed before")
    options.add_argument("--vectors", type=Path, help="folder of `handshift corpus embed`")
    options.add_argument(
        "--sizes", action="store_true", help="compare the size of the writing too, as --dpi lets the commands"
    )
    options.add_argument("--part", default=part)
    options.add_argument("--model", default=None, help="id or folder of the model")
    options.add_argument("--database", action="append", help="only this one; may be repeated")


def known_pages(
    given: argparse.Namespace, database: str, part: str | None = None, lines: bool = False
) -> list[KnownPage]:
    """Every page of one part of a database that has a legible word.

    Args:
        given: The options.
        database: Its name.
        part: Of the split; that of the options if not given.
        lines: Whether sheets count too of which there are pictures of the lines only.
    """
    if given.sizes and not given.vectors:
        raise SystemExit("--sizes needs --vectors: the files of these databases state no resolution")
    read = _embedded_pages if given.vectors else _read_pages
    return list(read(given, _sheets(given, database, part or given.part, lines)))


def lines_of(given: argparse.Namespace, page: KnownPage) -> list[NDArray[np.float32]]:
    """(words, dimensions) vectors of each line; segmented again where only the sheet was embedded."""
    line = page.line if page.line is not None else _line_of_words(given, page)
    return [page.rows[line == number] for number in np.unique(line)]


def _sheets(
    given: argparse.Namespace, database: str, part: str, lines: bool
) -> dict[tuple[str, Holds], tuple[Record, ...]]:
    """The records of each sheet of the writers; a sheet that is there as a scan is not taken as lines too."""
    everything = read_database(given.data, database)
    records = everything.written_by(load_split(everything, given.splits).parts[part]).records
    found: dict[tuple[str, Holds], list[Record]] = defaultdict(list)
    for record in records:
        if record.holds is Holds.PAGE or (
            lines and record.holds is Holds.LINE and (record.page, Holds.PAGE) not in found
        ):
            found[record.page, record.holds].append(record)
    return {sheet: tuple(own) for sheet, own in found.items()}


def _embedded_pages(
    given: argparse.Namespace, sheets: dict[tuple[str, Holds], tuple[Record, ...]]
) -> Iterator[KnownPage]:
    network = find_model(given.model).folder / NETWORK
    runs = _runs(network, given.vectors)
    table = _table(network, given.vectors)
    if sheets and not any(page in runs for page, _ in sheets):
        raise SystemExit(f"{given.vectors}: nothing of {next(iter(sheets))[0]}; embed that part too")
    for (page, _), records in sheets.items():
        if page in runs:
            own = slice(*runs[page])
            sizes = table.size[own] if given.sizes and table.size is not None else None
            yield KnownPage(records, np.array(table.vectors[own]), sizes=sizes)


@cache
def _table(network: Path, folder: Path) -> WordVectors:
    return vectors_by_network(network, folder)


@cache
def _runs(network: Path, folder: Path) -> dict[str, tuple[int, int]]:
    """First and last row of each sheet; of one that occurs as scan and as lines, of the scan."""
    page = _table(network, folder).page
    ends = np.append(np.flatnonzero(page[1:] != page[:-1]) + 1, len(page))
    found: dict[str, tuple[int, int]] = {}
    for first, last in zip(np.append(0, ends[:-1]), ends, strict=True):
        found.setdefault(str(page[first]), (int(first), int(last)))
    return found


def _line_of_words(given: argparse.Namespace, page: KnownPage) -> NDArray[np.int64]:
    """(words,) line of each word that `handshift corpus cut` cut from a sheet."""
    name = sha256(f"{CUTTING} {page.record.page} {page.record.holds}".encode()).hexdigest()[:24]
    path = given.cache / "lines" / f"{name}.npz"
    if not path.is_file():
        found = [[word.line for word in whole_words(record)] for record in page.records]
        if page.record.holds is Holds.LINE:  # a picture is a line, whatever the segmentation says
            found = [[number] * len(words) for number, words in enumerate(found)]
        _store(path, line=np.array([line for words in found for line in words], np.int64))
    line = np.asarray(read_npz(path)["line"], np.int64)
    if len(line) != page.words:
        raise SystemExit(
            f"{page.record.page}: {len(line)} words found, {page.words} vectors; cut and embed again"
        )
    return line


def _read_pages(
    given: argparse.Namespace, sheets: dict[tuple[str, Holds], tuple[Record, ...]]
) -> Iterator[KnownPage]:
    model = find_model(given.model)
    embedder = None
    for number, (record, *_) in enumerate(sheets.values(), 1):
        if record.holds is not Holds.PAGE:  # the commands read pages
            continue
        name = sha256(record.path.read_bytes()).hexdigest()[:24]
        path = given.cache / model.fingerprint()[:16] / record.database / f"{name}.npz"
        if not path.is_file():
            embedder = embedder or model.embedder(1)
            for page in process_pages(record.path, partial(embed_page, embedder)):
                if isinstance(page, PageError):
                    raise page
                _store(
                    path, vectors=page.vectors, line=np.array([word.line for word in page.words], np.int64)
                )
            if number % 50 == 0:
                print(f"{record.database}: {number} of {len(sheets)} pages", file=sys.stderr, flush=True)
        stored = read_npz(path)
        if len(stored["line"]):
            yield KnownPage((record,), stored["vectors"], stored["line"])


def _store(path: Path, **arrays: NDArray[np.generic]) -> None:
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content.getvalue())


def by_writer(pages: Sequence[KnownPage]) -> dict[str, list[KnownPage]]:
    """The pages of each writer."""
    found: dict[str, list[KnownPage]] = defaultdict(list)
    for page in pages:
        found[page.writer].append(page)
    return found


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    page_options(benchmark.options)
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
