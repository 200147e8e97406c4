"""What the server computes, in a process of its own: each function takes and returns plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from handshift.core.errors import HandshiftError, PageError
from handshift.embedding.remembering_embedder import RememberingEmbedder
from handshift.models.shipped_models import find_model
from handshift.page.scan import Scan
from handshift.page.synthetic_mark import is_synthetic, mark_synthetic
from handshift.page.view import View
from handshift.page.word import Page
from handshift.web.corrections import CHANGE, apply_changes, lay_over
from handshift.web.file_store import FileStore
from handshift.web.machine_compute import MachineComputer
from handshift.web.people_compute import PeopleComputer

Send = Callable[[dict[str, Any]], None]
MATCHES = 8
"""Words of similar shape that are shown for one."""


@dataclass(frozen=True)
class PageSource:
    """Where a page's pixels lie and which corrections stand."""

    image: str
    """SHA-256 of its PNG in the store."""
    name: str
    sha256: str
    """Of the exhibit's file."""
    number: int
    changes: tuple[dict[str, Any], ...] = ()
    vectors: bytes = b""
    """Of its words when it was examined, so that a correction computes only those of changed words."""


class Computer:
    """Loads a model once and answers requests about pages of one store.

    Args:
        store: Folder of the file store.
        model: Id or folder of the model; the default when None.
        threads: Processor threads of the networks.
    """

    def __init__(self, store: Path, model: str | None, threads: int = 2) -> None:
        self._store, self._model, self._threads = FileStore(store), model, threads
        self._segmented = lru_cache(maxsize=6)(self._segment)

    @cached_property
    def _examiner(self) -> Any:
        from handshift.pipeline.examiner import Examiner

        return Examiner(self._model, self._threads, embedder=self._embedder)

    @cached_property
    def _embedder(self) -> RememberingEmbedder:
        return find_model(self._model).remembering_embedder(self._threads)

    @cached_property
    def machines(self) -> MachineComputer:
        """What is computed for machines."""
        return MachineComputer(self._store.folder)

    @cached_property
    def people(self) -> PeopleComputer:
        """What is computed of questioned and known writing."""
        return PeopleComputer(self._model, self._threads)

    def warm(self) -> None:
        """Load the model and examine a few lines before the first page asks for it.

        The first page is slow otherwise: OpenCV makes its tables of colours (0.3 s), onnxruntime its buffers.
        """
        from handshift.demo import ONE_HAND
        from handshift.page.scan import scan_pages

        scan = next(iter(scan_pages(ONE_HAND)))
        if isinstance(scan, Scan):
            few = replace(scan, image=np.ascontiguousarray(scan.image[: len(scan.image) // 3]))
            self._record(self._page(few, ONE_HAND.name))

    def examine(self, path: str, name: str, skip: Sequence[int], send: Send) -> dict[str, Any]:
        """Examine every page of a file; each page is sent as soon as it is finished.

        Args:
            path: The file.
            name: What the exhibit is called.
            skip: Pages that are finished already, from 0.
            send: Receives ``{"page": …}`` for every other page.

        Returns:
            ``{"pages": how many the file has}``.
        """
        from handshift.page.scan import scan_pages

        pages = 0
        for scan in scan_pages(Path(path)):
            pages += 1
            if scan.number not in skip:
                send({"page": self._examined(scan, name)})
        return {"pages": pages}

    def _examined(self, scan: Scan | PageError, name: str) -> dict[str, Any]:
        number = scan.number
        if isinstance(scan, PageError):
            return {"number": number, "error": _reason(scan)}
        page = self._page(scan, name)
        _, png = cv2.imencode(".png", page.image[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 1])
        stored = mark_synthetic(png.tobytes()) if page.synthetic else png.tobytes()
        height, width = page.image.shape[:2]
        shown = {"number": number, "image": self._store.add(stored), "width": width, "height": height}
        try:
            record, run = self._record(page)
        except HandshiftError as error:
            return shown | {"error": _reason(error)}
        return shown | {"record": record, "run": run, "vectors": self._embedder.packed()}

    def rescore(self, source: PageSource) -> dict[str, Any]:
        """Examine a page again with its corrections; the new record."""
        segmented, changes = self._stored(source)
        record, _ = self._record(apply_changes(segmented, changes))
        return lay_over(record, changes, segmented)

    def matches(self, source: PageSource, box: tuple[int, int, int, int]) -> list[dict[str, Any]]:
        """Words of the page that look like one of its words, most similar first; not surely the same word."""
        from handshift.page.word_shape import shape_features

        page = self._corrected(source)
        place = next((at for at, word in enumerate(page.words) if tuple(word.box) == tuple(box)), None)
        if place is None:
            raise HandshiftError("no word of the page has this box")
        described = shape_features(page.words)
        similar = described @ described[place]
        order = [int(at) for at in np.argsort(-similar, kind="stable") if at != place][:MATCHES]
        return [
            {"box": [int(side) for side in page.words[at].box], "similarity": float(similar[at])}
            for at in order
        ]

    def document(self, sources: Sequence[PageSource], send: Send) -> dict[str, Any]:
        """The hands of several pages, linked; progress is sent page by page."""
        from handshift.pipeline.hand_finder import HandFinder
        from handshift.report.document_record import document_json

        finder = HandFinder(self._model, self._threads, embedder=self._embedder)
        pages, failures = [], []
        for place, source in enumerate(sources):
            try:
                pages.append(finder.find_page(self._corrected(source)))
            except HandshiftError as error:
                failures.append({"page": place + 1, "error": _reason(error)})
            send({"done": place + 1})
        if not pages:
            raise HandshiftError("no page of the document has legible words")
        found: dict[str, Any] = json.loads(document_json(finder.link(pages)))
        return found | {"failures": failures}

    def _corrected(self, source: PageSource) -> Page:
        return apply_changes(*self._stored(source))

    def _stored(self, source: PageSource) -> tuple[Page, list[Any]]:
        """The page as it was segmented, and its corrections; the vectors of its words are remembered."""
        if source.vectors:
            with suppress(HandshiftError):  # computed anew where they cannot be read
                self._embedder.recall(source.vectors)
        segmented = self._segmented(source.image, source.name, source.sha256, source.number)
        return segmented, [CHANGE.validate_python(change) for change in source.changes]

    def _segment(self, image: str, name: str, sha256: str, number: int) -> Page:
        pixels = cv2.imread(str(self._store.path(image)), cv2.IMREAD_COLOR)
        if pixels is None:
            raise HandshiftError("the page's stored pixels cannot be read")
        synthetic = is_synthetic(self._store.path(image).read_bytes())
        rgb = np.ascontiguousarray(pixels[..., ::-1])
        scan = Scan(rgb, Path(name), sha256, number, synthetic=synthetic)
        return self._page(scan, name, View())  # what is stored was turned upright already

    def _page(self, scan: Scan, name: str, view: View | None = None) -> Page:
        from handshift.pipeline.read_pages import segment_scan

        return replace(segment_scan(scan, view=view), source=Path(name))

    def _record(self, page: Page) -> tuple[dict[str, Any], dict[str, Any]]:
        from handshift.report.findings_record import page_record
        from handshift.report.run_header import Run

        verdict = self._examiner.examine_page(page)
        settings = {"model": self._examiner.model.id, "prior": "even odds of one hand and of several"}
        run = Run(self._examiner.model, datetime.now().astimezone(), settings)
        return dict(page_record(verdict)), run.record()


def _reason(error: Exception) -> str:
    """What was wrong, without the store's path."""
    return getattr(error, "problem", None) or str(error) or type(error).__name__
