"""Word vectors of pictures made for a study, cached for the next seed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes, write_text
from handshift.core.folder_lock import locked
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_table import TABLE
from handshift.embedding.word_vectors import VECTORS, WordVectors
from handshift.page.scan import Scan
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.read_pages import segment_scan


@dataclass(frozen=True)
class Picture:
    """One page with its writer, session and prompt."""

    name: str
    writer: str
    session: int
    prompt: str
    image: NDArray[np.uint8]


def page_vectors(folder: Path, pictures: Iterable[Picture], embedder: Embedder) -> WordVectors:
    """Segment and embed the words of every picture, unless `folder` has them."""
    with locked(folder, patience=1800):
        if not (folder / VECTORS).exists():
            vectors, rows = [np.zeros((0, embedder.dimensions), np.float32)], []
            for picture in pictures:
                page = embed_page(embedder, segment_scan(Scan(picture.image, Path(picture.name), sha256="")))
                vectors.append(page.vectors)
                rows += [(picture.name, picture.writer, picture.session, picture.prompt)] * len(page.vectors)
            keep_vectors(folder, np.concatenate(vectors), rows)
    return WordVectors.load(folder)


def keep_vectors(
    folder: Path, vectors: NDArray[np.float32], rows: Iterable[tuple[str, str, int, str]]
) -> None:
    """Write both files, the vectors last, so that their presence marks a complete folder."""
    table = io.StringIO()
    csv.writer(table).writerows([("page", "writer", "session", "prompt"), *rows])
    write_text(folder / TABLE, table.getvalue())
    content = io.BytesIO()
    np.save(content, vectors)
    write_bytes(folder / VECTORS, content.getvalue())
