"""Fits the scope guard of a model on pages of calibration writers, inside and outside of its script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope_fit import ScopeFit
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_cut import record_image
from handshift.embedding.embedder import Embedder
from handshift.models.shipped_models import find_model
from handshift.page.scan import Scan
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.read_pages import segment_scan

INSIDE = ("csafe", "copiste", "iam")
OUTSIDE = ("khatt", "fonts-korean")
LINES = 8
"""Line pictures that are laid on one page."""
_FEWEST = 8


def fit_scope(
    data: Path,
    splits: Path,
    *,
    model: str | None = None,
    pages: int = 25,
    part: str = "calibration",
    inside: Sequence[str] = INSIDE,
    outside: Sequence[str] = OUTSIDE,
    seed: int = 2026,
    threads: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> ScopeFit:
    """Embed pages of the databases and fit what the guard compares with.

    Args:
        data: Folder of the databases.
        splits: Folder of their writer splits.
        model: Id or folder of a model; the default model without it.
        pages: Of each database, each by another writer as long as there are some.
        part: Writers that are used; the model must not have learnt from them.
        inside: Databases of the population.
        outside: Databases in other scripts.
        seed: Of the draw.
        threads: Processor threads of the network.
        progress: Called with a line of text for each database.
    """
    shipped = find_model(model)
    embedder, plda = shipped.embedder(threads), shipped.covariances()
    found: dict[str, list[NDArray[np.float32]]] = {}
    for name in (*inside, *outside):
        images = _images(data, splits, name, part, pages, np.random.default_rng(seed))
        rows = [_vectors(embedder, image) for image in images]
        found[name] = [vectors for vectors in rows if len(vectors) >= _FEWEST]
        progress(f"{name}: {len(found[name])} pages")
    own = [page for name in inside for page in found[name]]
    others = [page for name in outside for page in found[name]]
    if len(own) < 10 or len(others) < 5:
        raise HandshiftError(f"{len(own)} pages inside and {len(others)} outside are too few to fit a scope")
    return ScopeFit.fit(own, others, plda, {name: len(rows) for name, rows in found.items()})


def _images(
    data: Path, splits: Path, name: str, part: str, pages: int, draw: np.random.Generator
) -> Iterator[NDArray[np.uint8]]:
    database = read_database(data, name)
    database = database.written_by(load_split(database, splits).parts[part])
    records = [record for record in database.records if record.prompt != "PHR"]  # a phrase is no page
    by_writer: dict[str, list[Record]] = {}
    for record in records:
        by_writer.setdefault(record.writer, []).append(record)
    writers = sorted(by_writer)
    order = [writers[at] for at in draw.permutation(len(writers))]
    for turn in range(pages):
        if not order:
            return
        own = by_writer[order[turn % len(order)]]
        image = _page(own, turn // len(order))
        if image is not None:
            yield image


def _page(records: Sequence[Record], turn: int = 0) -> NDArray[np.uint8] | None:
    """A page of one writer: a scan or drawn page, or line pictures laid on a sheet."""
    whole = [record for record in records if record.holds in (Holds.PAGE, Holds.FONT)]
    if whole:
        return record_image(whole[turn % len(whole)])
    lines = [record for record in records if record.holds is Holds.LINE]
    if len(lines) < 3:
        return None
    pictures = [record_image(record) for record in (lines * LINES)[:LINES]]
    width, gap = max(picture.shape[1] for picture in pictures), 26
    sheet = np.full((sum(one.shape[0] + gap for one in pictures) + gap, width + 4 * gap, 3), 255, np.uint8)
    top = gap
    for one in pictures:
        sheet[top : top + one.shape[0], 2 * gap + width - one.shape[1] : 2 * gap + width] = one
        top += one.shape[0] + gap
    return sheet


def _vectors(embedder: Embedder, image: NDArray[np.uint8]) -> NDArray[np.float32]:
    page = segment_scan(Scan(np.ascontiguousarray(image), Path("page"), ""))
    return embed_page(embedder, page).vectors
