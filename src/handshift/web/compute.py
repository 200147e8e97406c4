"""What the server computes, in a process of its own: each function takes and returns plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from handshift.attribution.comparison import Comparison
from handshift.calibration.verbal_scale import Language
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

    def compare(self, questioned: dict[str, str], known: dict[str, str]) -> dict[str, Any]:
        """Weigh whether one person wrote both sets of files, as `handshift verify --known` does.

        Args:
            questioned: Names of the questioned exhibits by the paths of their files.
            known: Likewise of the known samples.
        """
        sides = [[Path(path) for path in paths] for paths in (questioned, known)]
        found = self._verifier.verify(sides[0], sides[1], known=True).comparison
        # Files are named by their digests in the store, which say nothing to a person.
        named = [_with_names(text, questioned | known) for text in found.warnings]
        found = replace(found, warnings=tuple(named))
        said = {language.value: self._said(found, language) for language in Language}
        return asdict(found) | {"scope": found.scope.record(), "statement": said}

    def _said(self, found: Comparison, language: Language) -> dict[str, Any]:
        """A comparison in the sentences of `handshift verify`."""
        from handshift.report.comparison_report import pair_headline, pair_propositions, pair_statement
        from handshift.report.notices import notice
        from handshift.report.run_header import Run

        model = find_model(self._model)
        started = datetime.now().astimezone()
        run = Run(model.card, started, {}, language, populations=model.populations())
        two = pair_propositions(found.propositions, run)
        return {
            "headline": pair_headline(found, run),
            "meaning": pair_statement(found, run),
            "one": two.one_writer,
            "two": two.two_writers,
            "population": two.population,
            "notices": [notice(warning, language) for warning in found.warnings],
        }

    def enroll(self, name: str, paths: Sequence[str], gallery: str) -> dict[str, Any]:
        """Add a person's pages to the gallery."""
        from handshift.pipeline.identifier import enroll

        _, new = enroll(self._comparer, {name: [Path(path) for path in paths]}, Path(gallery))
        return {"new": new}

    def identify(self, paths: Sequence[str], gallery: str) -> dict[str, Any]:
        """Rank the people of the gallery for a questioned file."""
        from handshift.pipeline.identifier import Identifier
        from handshift.report.notices import notice

        found = Identifier(gallery, comparer=self._comparer).identify([Path(path) for path in paths])
        said = {one.value: [notice(warning, one) for warning in found.warnings] for one in Language}
        return asdict(found) | {"scope": found.scope.record(), "notices": said}

    @cached_property
    def _verifier(self) -> Any:
        from handshift.pipeline.verifier import Verifier

        return Verifier(self._model, self._threads)

    @cached_property
    def _comparer(self) -> Any:
        from handshift.pipeline.comparer import Comparer

        return Comparer(self._model, self._threads)

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


def _with_names(text: str, names: dict[str, str]) -> str:
    for path, name in names.items():
        text = text.replace(path, name)
    return text


def _reason(error: Exception) -> str:
    """What was wrong, without the store's path."""
    return getattr(error, "problem", None) or str(error) or type(error).__name__
