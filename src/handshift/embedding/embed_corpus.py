"""Stage 1: embeds the words of a corpus into a folder, which stage 2 draws bags from (`handshift embed`)."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_bytes
from handshift.core.onnx_session import LARGEST_FILE
from handshift.core.pyarrow import pyarrow_modules
from handshift.corpus.layouts import read_corpus
from handshift.embedding.crops.collection import skipped_files
from handshift.embedding.crops.crop_cache import cached_words, contents_of
from handshift.embedding.crops.scaling import scaling_of
from handshift.embedding.embedder import unit_rows
from handshift.embedding.word_table import TABLE, WordRows
from handshift.embedding.word_vectors import VECTORS, WordVectors, cached_vectors
from handshift.engine.engine import Engine

PARQUET = "words.parquet"
_BLOCK = 4096


@dataclass(frozen=True)
class EmbeddedCorpus:
    """The word vectors of a corpus and where they were written."""

    folder: Path
    vectors: WordVectors
    skipped: list[tuple[str, str]]
    """Files without a word, and why."""

    def __str__(self) -> str:
        words, dimensions = self.vectors.vectors.shape
        writers, pages = (np.unique(column).size for column in (self.vectors.writer, self.vectors.page))
        skipped = f"; {len(self.skipped)} files skipped" if self.skipped else ""
        return (
            f"{self.folder / VECTORS}: {words} words × {dimensions} dimensions of {writers} writers "
            f"on {pages} pages{skipped}"
        )


def embed_corpus(
    data: Path,
    out: Path,
    network: Path,
    *,
    cut: str | None = None,
    words: Path | None = None,
    csv: Path | None = None,
    threads: int = 2,
    engine: Engine | None = None,
) -> EmbeddedCorpus:
    """Embed every word of a corpus; what is already in `out` is reused.

    `out` gets vectors.npy (weighted rows, float32), words.csv and words.parquet (page, writer, session,
    prompt, order within the page, text, path), row by row, and vectors.json, which names the network.

    Args:
        data: Corpus folder or manifest.
        out: Folder for the vectors.
        network: An exported word network (words.onnx).
        cut: What a file holds: page, word or picture; word for the source's layout, else page, if None.
        words: Folder of crops to reuse; OUT/crops if None.
        csv: Also write unit rows as the source's CSV: label, path, embedding_0, embedding_1, …
        threads: Processor threads.
        engine: Where files are cut and crops embedded; all nodes must see the folders. If None, files are cut
            by two processes and embedded in this one.

    Returns:
        The vectors with their table.

    Raises:
        HandshiftError: The corpus has no words, or a file cannot be read or written.
    """
    if out.exists() and not out.is_dir():
        raise HandshiftError(f"{out}: a file where a folder is needed")
    arrow, parquet = pyarrow_modules("writing the table of words")
    corpus = read_corpus(data)
    folder = words or out / "crops"
    contents, scaling = contents_of(corpus, folder, cut), scaling_of(read_bytes(network, LARGEST_FILE))
    reuse = words is not None
    cached_words(corpus, folder, contents, reuse=reuse, scaling=scaling, workers=threads, engine=engine)
    vectors = cached_vectors(folder, network, out, threads, engine)
    table = WordRows.read(out / TABLE)
    content = io.BytesIO()
    parquet.write_table(arrow.table(_columns(table)), content)
    write_bytes(out / PARQUET, content.getvalue())
    if csv is not None:
        write_source_csv(csv, vectors.vectors, table)
    return EmbeddedCorpus(out, vectors, skipped_files(folder))


def _columns(table: WordRows) -> dict[str, NDArray[np.generic] | list[str]]:
    names = {"page": table.page, "writer": table.writer, "prompt": table.prompt}
    texts = {name: column.tolist() for name, column in names.items()}
    order = order_in_page(table.page)
    return {
        **texts,
        "session": table.session,
        "order": order,
        "text": table.text.tolist(),
        "path": table.path.tolist(),
    }


def order_in_page(page: NDArray[np.str_]) -> NDArray[np.int64]:
    """Return the position of each word within its page, from 0; words of a page need not be contiguous."""
    _, of = np.unique(page, return_inverse=True)
    by_page = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[by_page], np.arange(of.max() + 1 if of.size else 0))
    order = np.empty(len(page), np.int64)
    order[by_page] = np.arange(len(page)) - starts[of[by_page]]
    return order


def write_source_csv(path: Path, vectors: NDArray[np.float32], table: WordRows) -> None:
    """Write unit rows as the source's CSV: label, path, embedding_0, embedding_1, …

    Args:
        path: The CSV file.
        vectors: (words, dimensions), of any lengths.
        table: Writer and path of each row.
    """
    from csv import writer as csv_writer

    content = io.StringIO()
    rows = csv_writer(content, lineterminator="\n")
    rows.writerow(("label", "path", *(f"embedding_{axis}" for axis in range(vectors.shape[1]))))
    for start in range(0, len(vectors), _BLOCK):
        unit = unit_rows(np.asarray(vectors[start : start + _BLOCK]))
        for row, numbers in enumerate(unit, start):
            rows.writerow((table.writer[row], table.path[row], *(f"{number:.8g}" for number in numbers)))
    write_bytes(path, content.getvalue().encode("utf-8"))
