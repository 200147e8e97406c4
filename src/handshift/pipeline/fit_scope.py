"""Fits the scope guard of a model on pages of calibration writers, inside and outside of its script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope_fit import KnownPage, ScopeFit
from handshift.calibration.script_test import ScriptTest
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_cut import record_image
from handshift.models.shipped_models import find_model
from handshift.page.components import STROKE
from handshift.page.scan import Scan
from handshift.page.stroke_geometry import stroke_geometry
from handshift.page.word import Page, Word
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.read_pages import segment_scan

INSIDE = ("csafe", "copiste", "iam")
OUTSIDE = ("khatt", "fonts-korean")
LINES = 8
"""Line pictures that are laid on one page."""
FEWEST_WORDS = 8
SLANTS = (0.0, 0.25, -0.25)
"""Tangents by which words lean further to the right when the test of the script is fitted; 0 first. Some
sixty writers do not hold every slant: of 60 pages by held-out writers none was called another script, but 7
were once they leaned by .5 more, with these slants in the fit 3."""
FALSE_ALARMS = 0.01
"""Share of the population's pages that each test is set to call outside."""


def fit_scope(
    data: Path,
    splits: Path,
    *,
    model: str | None = None,
    pages: int = 20,
    part: str = "calibration",
    script_part: str = "train",
    inside: Sequence[str] = INSIDE,
    outside: Sequence[str] = OUTSIDE,
    seed: int = 2026,
    threads: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> ScopeFit:
    """Fit what the guard compares with on pages of the databases, and measure it on held-out writers.

    Args:
        data: Folder of the databases.
        splits: Folder of their writer splits.
        model: Id or folder of a model; the default model without it.
        pages: Of each database, each by another writer as long as there are some.
        part: Writers whose vectors are used and on whom the test of the script is measured; the model must
            not have learnt from them.
        script_part: Other writers, on whom the test of the script is fitted; it does not use the model.
        inside: Databases of the population.
        outside: Databases in other scripts.
        seed: Of the draw.
        threads: Processor threads of the network.
        progress: Called with a line of text for each database.
    """
    shipped = find_model(model)
    embedder, plda = shipped.embedder(threads), shipped.covariances()
    strokes: dict[str, dict[str, NDArray[np.float64]]] = {script_part: {}, part: {}}
    known = []
    for name in (*inside, *outside):
        for writers, found in strokes.items():
            rows = []
            for writer, page in _pages(data, splits, name, writers, pages, np.random.default_rng(seed)):
                slants = SLANTS if writers == script_part else (0.0,)
                seen = [stroke_geometry(slanted(page.words, one), page.letter_size) for one in slants]
                if seen[0] is None or len(page.words) < FEWEST_WORDS:
                    continue
                rows += [geometry for geometry in seen if geometry is not None]
                if writers == part and name in inside:
                    known.append(KnownPage(embed_page(embedder, page).vectors, name, writer))
            found[name] = np.array(rows)
            progress(f"{name}, {writers}: {len(rows)} pages")
    if len(known) < 10 or min(len(rows) for found in strokes.values() for rows in found.values()) < 5:
        raise HandshiftError(
            "there are too few pages to fit a scope: 5 of each database, 10 of the population"
        )
    fitted = {name: strokes[script_part][name] for name in inside}
    others = {name: strokes[script_part][name] for name in outside}
    script = ScriptTest.fit(fitted, others, FALSE_ALARMS).measured_on(strokes[part])
    return ScopeFit.validated(known, plda, script, FALSE_ALARMS)


def slanted(words: Sequence[Word], tangent: float) -> Sequence[Word]:
    """The words with ink that leans further to the right; the boxes stay."""
    if tangent == 0.0:
        return words
    return [replace(word, ink=_leaning(word.ink, tangent)) for word in words]


def _leaning(ink: NDArray[np.uint8], tangent: float) -> NDArray[np.uint8]:
    height, width = ink.shape
    room = int(abs(tangent) * height) + 1
    there = np.array([[1, -tangent, room / 2 + tangent * height / 2], [0, 1, 0]], np.float32)
    leaning = np.asarray(cv2.warpAffine(ink, there, (width + room, height)), np.uint8)
    columns = np.flatnonzero((leaning > STROKE).any(axis=0))
    return leaning[:, columns[0] : columns[-1] + 1] if columns.size else ink


def coarser(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The scan at 105 dpi."""
    return np.asarray(cv2.resize(image, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA), np.uint8)


def bolder(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same writing with a broader pen."""
    return np.asarray(cv2.erode(image, np.ones((2, 2), np.uint8)), np.uint8)


def finer(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same writing with a finer pen."""
    return np.asarray(cv2.dilate(image, np.ones((1, 2), np.uint8)), np.uint8)


def compressed(image: NDArray[np.uint8], quality: int = 40) -> NDArray[np.uint8]:
    """A blurred picture, compressed as JPEG."""
    soft = cv2.GaussianBlur(image, (0, 0), 0.8)
    content = cv2.imencode(".jpg", soft, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(content, cv2.IMREAD_COLOR), np.uint8)


def askew(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The sheet at 7° on the scanner: its lines are made level again, which softens the strokes."""
    height, width = image.shape[:2]
    there = cv2.getRotationMatrix2D((width / 2, height / 2), 7.0, 1.0)
    reach = np.abs(there[:, :2]) @ (width, height)
    there[:, 2] += (reach - (width, height)) / 2
    size = (int(reach[0]), int(reach[1]))
    paper = tuple(float(level) for level in np.percentile(image.reshape(-1, 3), 80, axis=0))
    return np.asarray(cv2.warpAffine(image, there, size, borderValue=paper), np.uint8)


def photographed(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Half as large again as the scan, with noise, a shadow over one half, and compressed."""
    large = cv2.resize(image, None, fx=1.6, fy=1.6, interpolation=cv2.INTER_CUBIC).astype(np.float32)
    height, width = large.shape[:2]
    across = (
        np.arange(width, dtype=np.float32) / width + np.arange(height, dtype=np.float32)[:, None] / height
    )
    light = 1 - 0.5 / (1 + np.exp((1 - across) / 0.03))
    noise = np.random.default_rng(height).normal(0, 3, (height, width, 1))
    return compressed(np.clip(large * light[..., None] + noise, 0, 255).astype(np.uint8), quality=85)


VARIANTS = (coarser, bolder, finer, compressed, askew, photographed)
"""What else may happen to a page of the population; each page is seen as it is and in two of these ways."""


def _pages(
    data: Path, splits: Path, name: str, part: str, pages: int, draw: np.random.Generator
) -> Iterator[tuple[str, Page]]:
    """Writer and page with its words, as it is and then in two of the other ways."""
    for number, (writer, image) in enumerate(page_images(data, splits, name, part, pages, draw)):
        for page in as_seen(image, number):
            yield writer, page


def as_seen(image: NDArray[np.uint8], number: int) -> Iterator[Page]:
    """A page with its words, as it is and then in two of the other ways; pages take turns in the ways."""
    half = len(VARIANTS) // 2
    ways = VARIANTS[number % half], VARIANTS[number % half + half]
    for seen in (image, *(way(image) for way in ways)):
        yield segment_scan(Scan(np.ascontiguousarray(seen), Path("page"), ""))


def page_images(
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
