"""Whose hand is where in a document: pages in, hands linked across them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import Document, HandedPage, hand_name
from handshift.attribution.hand_count_calibration import PRIOR
from handshift.attribution.page_hands import AnalysedPage, PageHands, analyse_page
from handshift.attribution.page_linking import link_pages
from handshift.core.errors import HandshiftError, PageError
from handshift.embedding.crops.word_crop import is_legible, pen_scale
from handshift.models.shipped_models import find_model
from handshift.page.find_scans import find_scans
from handshift.page.print_detection import looks_printed
from handshift.page.word import Page
from handshift.pipeline.examiner import PRINTED_PAGE
from handshift.pipeline.page_vectors import Paths, pages_of_file


@dataclass(frozen=True)
class TellingPage:
    """A page whose hands are told, not yet linked with other pages'."""

    page: Page
    legible: NDArray[np.bool_]
    read: AnalysedPage


class HandFinder:
    """A model taken down once, for any number of pages."""

    def __init__(self, model: str | None = None, threads: int = 2, prior: Sequence[float] = PRIOR) -> None:
        shipped = find_model(model)
        self.model = shipped.card
        self._embedder = shipped.embedder(threads)
        self._covariances = shipped.covariances()
        self._context = shipped.hands()
        self._prior = _checked(prior)

    def hands(self, paths: Paths) -> Document:
        """Everything the paths lead to as one document, in the order given; folders by name."""
        found = find_scans([paths] if isinstance(paths, str) or not hasattr(paths, "__iter__") else paths)
        if found.errors:
            raise found.errors[0]
        return self.document([self.page(page) for path in found.scans for page in pages_of_file(path)])

    def page(self, page: Page) -> TellingPage:
        """Tell the hands of one page by itself."""
        legible = np.array([is_legible(word, page.letter_size) for word in page.words], bool)
        words = [word for word, readable in zip(page.words, legible, strict=True) if readable]
        if not words:
            raise PageError(page.source, f"found no legible word on page {page.number + 1}")
        vectors = self._embedder.embed(words, pen_scale(page))
        return TellingPage(
            page, legible, analyse_page(vectors, self._covariances, self._context, self._prior)
        )

    def document(self, pages: Sequence[TellingPage]) -> Document:
        """Link the hands of pages that belong together."""
        if not pages:
            raise HandshiftError("no page was given: there are no hands to tell")
        told, people = link_pages([page.read for page in pages], self._covariances, self._context)
        names = _names(told, people)
        rows = zip(pages, told, people, strict=True)
        handed = [_handed(page, one, own, names) for page, one, own in rows]
        warnings = [PRINTED_PAGE for page in pages if looks_printed(page.page.words, page.page.letter_size)]
        return Document(
            tuple(handed),
            self.model.id,
            self._context.population,
            self._prior,
            tuple(dict.fromkeys(warnings)),
        )


def _checked(prior: Sequence[float]) -> tuple[float, ...]:
    total = sum(prior)
    if len(prior) != len(PRIOR) or min(prior) < 0 or not total > 0:
        raise HandshiftError(
            f"a prior has {len(PRIOR)} shares, of 1 to {len(PRIOR)} hands, got {list(prior)}"
        )
    return tuple(float(share / total) for share in prior)


def _names(told: Sequence[PageHands], people: Sequence[NDArray[np.int64]]) -> dict[int, str]:
    """Name people by falling number of words ascribed to them."""
    words: dict[int, int] = {}
    for one, own in zip(told, people, strict=True):
        for person in own[one.ascribed]:
            words[int(person)] = words.get(int(person), 0) + 1
    ranked = sorted(words, key=lambda person: -words[person])
    return {person: hand_name(place) for place, person in enumerate(ranked)}


def _handed(
    page: TellingPage, told: PageHands, people: NDArray[np.int64], names: dict[int, str]
) -> HandedPage:
    """Hands of one page that proved to be one person are put together; marks go with the word before."""
    person = people[told.ascribed]  # (legible words,)
    same = people[None, :] == person[:, None]  # (legible words, hands of the page)
    certainty = np.clip((told.share * same).sum(axis=1), 0.0, 1.0)
    at = np.maximum(np.cumsum(page.legible) - 1, 0)
    return HandedPage(
        page.page,
        [names[int(one)] for one in person[at]],
        [float(chance) for chance in certainty[at]],
        tuple(map(float, page.read.number)),
    )
