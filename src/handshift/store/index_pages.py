"""Pages become entries of a store: embedded, their hands found, drawn small."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import hand_name
from handshift.attribution.page_hands import analyse_page
from handshift.calibration.scope import INSIDE
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError, PageError
from handshift.embedding.prototypes import prototypes
from handshift.embedding.word_vectors import VECTORS, vectors_by_network
from handshift.models.shipped_models import ShippedModel, find_model
from handshift.page.archive.origin import origin_of
from handshift.page.word import Box, Page
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.examine_files import FilePart
from handshift.pipeline.read_pages import process_pages
from handshift.store.page_entry import HandEntry, PageEntry

FEWEST_WORDS = 8
"""Legible words of a page, and of a hand beside the main one, to be worth finding again."""
THUMBNAIL = (400, 200)
"""Most pixels across and down: the first lines of a letter, legible, in about 10 KB."""
_THUMBNAIL_QUALITY = 45
_MARGIN = 0.03
"""Paper round the writing, as a share of its width."""


@dataclass(frozen=True, slots=True)
class IndexWork:
    """Makes the work of one worker: load the model, then turn parts of files into entries."""

    model: str | None = None
    threads: int = 1
    dpi: float | None = None
    """Resolution of the scans, where their files do not say it or are wrong."""

    def __call__(self) -> Callable[[FilePart], list[PageEntry]]:
        """Load the model."""
        cv2.setNumThreads(1)
        shipped = find_model(self.model)
        embedder, guard = shipped.embedder(self.threads), shipped.scope_guard()
        find_hands = hands_finder(shipped)

        def entry(page: Page) -> PageEntry:
            embedded = embed_page(embedder, page, guard, dpi=self.dpi)
            count = len(embedded.vectors)
            if count < FEWEST_WORDS:
                raise PageError(page.source, f"found {count} legible words, needs at least {FEWEST_WORDS}")
            scope = None if embedded.scope is INSIDE or embedded.scope.inside else embedded.scope.record()
            return PageEntry(
                str(page.source),
                page.sha256,
                page.number + 1,
                count,
                page_vector(embedded.vectors),
                page_size(embedded.sizes),
                find_hands(embedded.vectors, embedded.sizes),
                scope,
                thumbnail(page.image, [word.box for word in embedded.words]),
                origin=origin_of(page.source),
            )

        def index(part: FilePart) -> list[PageEntry]:
            pages = islice(process_pages(part.path, entry, part.first), part.pages)
            return [_failed(one) if isinstance(one, PageError) else one for one in pages]

        return index


def hands_finder(shipped: ShippedModel) -> Callable[[Vectors, Floats], tuple[HandEntry, ...]]:
    """The function that finds the hands of a page's words, by the code of `handshift hands`."""
    covariances, calibration = shipped.covariances(), shipped.hands()

    def find(vectors: Vectors, sizes: Floats) -> tuple[HandEntry, ...]:
        ascribed = analyse_page(vectors, covariances, calibration).page_hands.ascribed
        words = np.bincount(ascribed)
        ranked = [int(hand) for hand in np.argsort(-words, kind="stable") if words[hand]]
        kept = [hand for place, hand in enumerate(ranked) if not place or words[hand] >= FEWEST_WORDS]
        own = [ascribed == hand for hand in kept]
        return tuple(
            HandEntry(hand_name(place), int(each.sum()), page_vector(vectors[each]), page_size(sizes[each]))
            for place, each in enumerate(own)
        )

    return find


def vector_entries(
    folder: Path, model: str | None, known: Collection[tuple[str, int]] = ()
) -> Iterator[PageEntry | None]:
    """Entries of the pages in a folder that `handshift embed` wrote; they have no thumbnail.

    Args:
        folder: The folder.
        model: Id of a shipped model or a model's folder; the default model without it.
        known: Keys of pages that are in the store: None in their place, and no hands are looked for.

    Raises:
        HandshiftError: The folder cannot be read, or another network made its vectors.
    """
    shipped = find_model(model)
    table = vectors_by_network(shipped.folder / "words.onnx", folder)
    find_hands = hands_finder(shipped)
    pages, of = np.unique(table.page, return_inverse=True)
    order = np.argsort(of, kind="stable")
    for page, rows in zip(pages, np.split(order, np.cumsum(np.bincount(of))[:-1]), strict=True):
        vectors = np.asarray(table.vectors[rows])
        sizes = np.full(len(rows), np.nan) if table.size is None else np.asarray(table.size[rows])
        key = f"{table.fingerprint}/{page}"
        if (key, 1) in known:
            yield None
        elif len(rows) < FEWEST_WORDS:
            yield PageEntry(str(page), key, 1, len(rows), error=f"{len(rows)} words are too few to compare")
        else:
            hands = find_hands(vectors, sizes)
            yield PageEntry(str(page), key, 1, len(rows), page_vector(vectors), page_size(sizes), hands)


def is_vector_folder(path: Path) -> bool:
    """Whether `handshift embed` wrote this folder."""
    return (path / VECTORS).is_file()


def page_vector(vectors: Vectors) -> NDArray[np.float32]:
    """(dimensions,) the prototype by which `verify` compares these words."""
    return np.asarray(prototypes([vectors]).means[0], np.float32)


def page_size(sizes: Floats) -> float | None:
    """Mean of the words' sizes; None where one is not known."""
    size = float(sizes.mean())
    return size if np.isfinite(size) else None


def thumbnail(image: NDArray[np.uint8], words: Sequence[Box]) -> bytes:
    """The writing in small, from its first line on as far as there is room, as JPEG.

    A whole sheet in this size would show the paper and hardly the hand.
    """
    across, down = THUMBNAIL
    left, right = min(box.x for box in words), max(box.x + box.width for box in words)
    top, bottom = min(box.y for box in words), max(box.y + box.height for box in words)
    margin = round(_MARGIN * (right - left))
    left, right = max(0, left - margin), min(image.shape[1], right + margin)
    top, bottom = max(0, top - margin), min(image.shape[0], bottom + margin)
    scale = min(1.0, across / (right - left))
    bottom = min(bottom, top + round(down / scale))
    size = (max(1, round(scale * (right - left))), max(1, round(scale * (bottom - top))))
    small = cv2.resize(image[top:bottom, left:right], size, interpolation=cv2.INTER_AREA)
    done, encoded = cv2.imencode(".jpg", small[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _THUMBNAIL_QUALITY])
    if not done:
        raise HandshiftError(f"a picture of {image.shape} cannot be encoded")
    return bytes(encoded.tobytes())


def _failed(error: PageError) -> PageEntry:
    origin = origin_of(error.path)
    return PageEntry(error.named, error.sha256 or "", error.number + 1, error=error.problem, origin=origin)
