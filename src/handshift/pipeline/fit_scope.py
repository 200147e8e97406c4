"""Fits the scope guard of a model on pages of calibration writers, inside and outside of its script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope_fit import KnownPage, ScopeFit
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_cut import record_image
from handshift.models.shipped_models import find_model
from handshift.page.scan import Scan
from handshift.page.stroke_geometry import stroke_geometry
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
    """Embed pages of the databases, fit what the guard compares with, and measure it on held-out writers.

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
    found: dict[str, list[KnownPage]] = {}
    for name in (*inside, *outside):
        found[name] = []
        for number, (writer, image) in enumerate(
            _images(data, splits, name, part, pages, np.random.default_rng(seed))
        ):
            altered = VARIANTS[number % len(VARIANTS)](image)
            for seen in (image, altered):
                page = segment_scan(Scan(np.ascontiguousarray(seen), Path("page"), ""))
                vectors = embed_page(embedder, page).vectors
                geometry = stroke_geometry(page.words, page.letter_size)
                if len(vectors) >= _FEWEST and geometry is not None:
                    found[name].append(KnownPage(vectors, name, writer, geometry))
        progress(f"{name}: {len(found[name])} pages")
    own = [page for name in inside for page in found[name]]
    others = [page for name in outside for page in found[name]]
    if len(own) < 10 or len(others) < 5:
        raise HandshiftError(f"{len(own)} pages inside and {len(others)} outside are too few to fit a scope")
    return ScopeFit.validated(own, others, plda)


def coarser(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The scan at 105 dpi."""
    return np.asarray(cv2.resize(image, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA), np.uint8)


def bolder(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same writing with a broader pen."""
    return np.asarray(cv2.erode(image, np.ones((2, 2), np.uint8)), np.uint8)


def finer(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same writing with a finer pen."""
    return np.asarray(cv2.dilate(image, np.ones((1, 2), np.uint8)), np.uint8)


def compressed(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A blurred picture, compressed as JPEG of quality 40."""
    soft = cv2.GaussianBlur(image, (0, 0), 0.8)
    content = cv2.imencode(".jpg", soft, [cv2.IMWRITE_JPEG_QUALITY, 40])[1]
    return np.asarray(cv2.imdecode(content, cv2.IMREAD_COLOR), np.uint8)


VARIANTS = (coarser, bolder, finer, compressed)
"""What else may happen to a page of the population; each page is seen as it is and in one of these ways."""


def _images(
    data: Path, splits: Path, name: str, part: str, pages: int, draw: np.random.Generator
) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Writer and page, each by another writer as long as there are some."""
    database = read_database(data, name)
    database = database.written_by(load_split(database, splits).parts[part])
    records = [record for record in database.records if record.prompt != "PHR"]  # a phrase is no page
    by_writer: dict[str, list[Record]] = {}
    for record in records:
        by_writer.setdefault(record.writer, []).append(record)
    writers = sorted(by_writer)
    order = [writers[at] for at in draw.permutation(len(writers))]
    for turn in range(pages if order else 0):
        writer = order[turn % len(order)]
        image = _page(by_writer[writer], turn // len(order))
        if image is not None:
            yield writer, image


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
