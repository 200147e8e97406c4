"""The whole road in one step: a scan in, a verdict out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.detect.detector import FEWEST_WORDS
from handshift.embed.crop import is_legible, pen_scale
from handshift.embed.embedder import unit_rows
from handshift.evidence.alike import alike
from handshift.evidence.hands.naming import hand_name
from handshift.evidence.hands.page import PageHands, all_readings, decided, number_given, weighed
from handshift.evidence.hands.words import words_of_page
from handshift.evidence.verdict import Verdict, WordFinding
from handshift.models.shelf import find_model
from handshift.page.error import PageError
from handshift.page.given import Given
from handshift.page.pens import pen_change
from handshift.page.printed import looks_printed
from handshift.page.reading import Scan, read_scans
from handshift.page.segment import segment
from handshift.page.sidecar import given_segmentation
from handshift.page.transcribing import Reader
from handshift.page.word import Page

PRINTED_PAGE = "the page looks printed; the figures hold for handwriting only"


class Examiner:
    """A model taken down once, for any number of pages."""

    def __init__(self, model: str | None = None, threads: int = 2, reader: Reader | None = None) -> None:
        shipped = find_model(model)
        self.model = shipped.card
        self._embedder = shipped.embedder(threads)
        self._detector = shipped.detector(threads)
        self._context = shipped.context()
        self._hands = shipped.hands()
        self._reader = reader
        """Reads the words of pages by several hands, so that equal ones are laid side by side."""

    def examine(self, path: Path | str) -> Iterator[Verdict]:
        """Every page of one file; a segmentation that lies beside it is used."""
        for scan in read_scans(path):
            yield self.examine_scan(scan, given_segmentation(scan.source, scan.number))

    def examine_scan(self, scan: Scan, given: Given | None = None) -> Verdict:
        """One page: its words, their vectors, the score and what it weighs."""
        return self.examine_page(page_of(scan, given))

    def examine_page(self, page: Page) -> Verdict:
        """One page whose words are known."""
        legible = np.array([is_legible(word, page.letter_size) for word in page.words], bool)
        count = int(legible.sum())
        if count < FEWEST_WORDS:
            raise PageError(page.source, f"found {count} legible words, needs at least {FEWEST_WORDS}")
        words = [word for word, readable in zip(page.words, legible, strict=True) if readable]
        vectors = self._embedder.embed(words, pen_scale(page))
        scored = self._detector.score(vectors)
        covariances, settings = self._detector.covariances, self._hands.settings
        said = words_of_page(vectors, covariances, settings)
        readings = weighed(all_readings(said, covariances, settings), settings)
        weight = self._context.weigh(scored.score, count)
        number = number_given(self._hands.posterior(readings.evidence), weight.log10_lr)
        findings = _findings(decided(readings, number), legible)
        several = len({finding.hand for finding in findings}) > 1
        shown = self._reader.read(page) if self._reader and several else page
        return Verdict(
            page=shown,
            score=scored.score,
            log10_lr=weight.log10_lr,
            bounds=weight.bounds,
            interval=weight.interval,
            reference=self._context.reference(count),
            number=tuple(map(float, number)),
            words=findings,
            propositions=self._context.propositions,
            model=self.model.id,
            similarity=(unit := unit_rows(vectors)) @ unit.T,
            compared=tuple(map(int, np.flatnonzero(legible))),
            alike=alike(shown.words, [finding.hand for finding in findings]),
            warnings=_warnings(page),
        )


def _warnings(page: Page) -> tuple[str, ...]:
    printed = (PRINTED_PAGE,) if looks_printed(page.words, page.letter_size) else ()
    change = pen_change(page.image, page.words)
    return (*printed, change.sentence()) if change else printed


def page_of(scan: Scan, given: Given | None = None) -> Page:
    """The words of a scan: as given, or found."""
    height, width = scan.image.shape[:2]
    boxes = given.fitted_to(width, height, scan.dpi) if given else None
    found = segment(scan.image, boxes)
    return Page(
        scan.image,
        found.words,
        scan.source,
        scan.sha256,
        scan.number,
        found.letter_size,
        found.sheet_width,
        found.column_width,
    )


def _findings(told: PageHands, legible: NDArray[np.bool_]) -> tuple[WordFinding, ...]:
    """What is told of every word; an illegible mark goes with the word before it."""
    words = [
        WordFinding(hand_name(int(hand)), float(foreign), float(np.clip(share[hand], 0.0, 1.0)))
        for hand, foreign, share in zip(told.ascribed, told.foreign, told.share, strict=True)
    ]
    # Before the first legible word there is none to go with: take that first word itself.
    return tuple(words[at] for at in np.maximum(np.cumsum(legible) - 1, 0))
