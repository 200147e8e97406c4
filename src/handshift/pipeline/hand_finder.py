"""The hands of a document: found page by page, then linked across pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import Document, HandedPage, hand_name
from handshift.attribution.hand_count_calibration import PRIOR
from handshift.attribution.hand_links import links_of, pairs_of
from handshift.attribution.link_prior import EVEN, LinkPrior
from handshift.attribution.page_hands import AnalysedPage, PageHands, analyse_page
from handshift.attribution.page_linking import VectorPage, link_pages
from handshift.attribution.same_writer import SameWriter
from handshift.core.arrays import Floats
from handshift.core.errors import BlankPageError, HandshiftError, PageError
from handshift.core.run_journal import digest_of
from handshift.embedding.embedder import Embedder
from handshift.models.shipped_models import find_model
from handshift.page.hand_labels import NO_HAND
from handshift.page.word import Page
from handshift.pipeline.embed_page import MOST_WORDS, EmbeddedPage, embed_page
from handshift.pipeline.embedded_record import without_pixels
from handshift.pipeline.identical_files import identical_files
from handshift.pipeline.read_pages import NO_PAGE, Paths, existing_scans, process_pages, require_writing


@dataclass(frozen=True, slots=True)
class UnlinkedPage:
    """A page whose hands were found by itself, not yet linked with those of other pages."""

    embedded: EmbeddedPage
    analysed: AnalysedPage


class HandFinder:
    """Loads a model once and finds the hands of any number of documents.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        prior: Probability of 1 … 5 hands on a page before it is seen; need not sum to 1.
        embedder: The model's word network, where it is loaded already.
        same_prior: Prior probability that one person wrote two given pages.
        force: Whether the user wants figures outside of the model's scope as well.
        dpi: Resolution of the pages, where their files do not say it or are wrong.
    """

    def __init__(
        self,
        model: str | None = None,
        threads: int = 2,
        prior: Sequence[float] = PRIOR,
        embedder: Embedder | None = None,
        same_prior: float = EVEN,
        force: bool = False,
        dpi: float | None = None,
    ) -> None:
        self._dpi = dpi
        self._links = LinkPrior(same_prior)
        self._shipped = shipped = find_model(model)
        self.model = shipped.card
        self.fingerprint = digest_of(shipped.folder)
        """Of everything that the findings depend on."""
        self._embedder = embedder or shipped.embedder(threads)
        self._covariances = shipped.covariances()
        self._context = shipped.hands()
        self._prior = _normalised(prior)
        self._guard = shipped.scope_guard(force)

    def hands(self, paths: Paths) -> Document:
        """Find the hands of everything the paths lead to, as one document.

        Blank pages have no hands; each is named in a warning.

        Args:
            paths: Files in the order given; folders by name.

        Raises:
            PageError: A path leads nowhere, or a page cannot be read or has no legible word.
            HandshiftError: No path was given.
        """
        pages: list[UnlinkedPage] = []
        blank: list[str] = []
        for path in existing_scans(paths):
            for page in self.find_pages(path):
                if isinstance(page, BlankPageError):
                    blank.append(str(page))
                elif isinstance(page, PageError):
                    raise page
                else:
                    pages.append(page)
        document = self.link(pages)
        return replace(document, warnings=(*document.warnings, *blank))

    def find_pages(self, path: Path | str, first: int = 0) -> Iterator[UnlinkedPage | PageError]:
        """Yield for every page of one file, from ``first`` on, its hands or the error that says why not."""
        return process_pages(path, self.find_page, first)

    def find_page(self, page: Page) -> UnlinkedPage:
        """Find the hands of one page by itself.

        Raises:
            BlankPageError: There is no word on the page.
            NoWritingError: There are marks, but none of them is handwriting.
            PageError: The page has no legible word, or too many.
        """
        embedded = embed_page(self._embedder, page, self._guard, MOST_WORDS, self._dpi)
        if not len(embedded.vectors):
            found = f"found no legible word on page {page.number + 1}"
            require_writing(page, found)
            raise PageError(page.source, found)
        return self.analyse(embedded)

    def analyse(self, embedded: EmbeddedPage) -> UnlinkedPage:
        """Find the hands of a page whose words are embedded; its pixels are released."""
        analysed = analyse_page(embedded.vectors, self._covariances, self._context, self._prior)
        return UnlinkedPage(without_pixels(embedded), analysed)

    @cached_property
    def same_writer(self) -> SameWriter:
        """The model of "same person or not" that `verify` and `identify` use too."""
        return SameWriter.of(self._covariances, self._shipped.comparison())

    def link(self, pages: Sequence[UnlinkedPage]) -> Document:
        """Link the hands of pages that belong together.

        Raises:
            HandshiftError: There are no pages, or the model was never calibrated for comparing pages.
        """
        if not pages:
            raise HandshiftError(NO_PAGE)
        linked = link_pages(
            [VectorPage(page.analysed, page.embedded.rows) for page in pages],
            self.same_writer,
            self._links,
        )
        names = _names(linked.hands, linked.writers, [page.embedded.lengths for page in pages])
        of_hand = [names[int(writer)] for writer in linked.clusters.labels]
        scope = np.array([pages[page].embedded.scope.weight for page in linked.pages])
        rows = zip(pages, linked.hands, linked.writers, strict=True)
        warnings = [warning for page in pages for warning in page.embedded.warnings]
        warnings += identical_files(page.embedded.page for page in pages)
        return Document(
            tuple(_handed(page, own, persons, names) for page, own, persons in rows),
            self.model.id,
            self._context.population,
            self._prior,
            tuple(dict.fromkeys(warnings)),
            self._links.same,
            tuple(map(float, linked.clusters.number)),
            tuple(links_of(linked.evidence, linked.clusters.labels, linked.pages, of_hand, scope)),
            tuple(pairs_of(linked.evidence.pairs(), linked.pages, of_hand, scope)),
            self.same_writer.calibration.propositions,
        )


def _normalised(prior: Sequence[float]) -> tuple[float, ...]:
    total = sum(prior)
    if len(prior) != len(PRIOR) or min(prior) < 0 or not total > 0:
        raise HandshiftError(
            f"a prior has {len(PRIOR)} shares, of 1 to {len(PRIOR)} hands, got {list(prior)}"
        )
    return tuple(float(share / total) for share in prior)


def _names(
    hands: Sequence[PageHands], people: Sequence[NDArray[np.int64]], lengths: Sequence[Floats]
) -> dict[int, str]:
    """Name people by falling length of the words ascribed to them, as `examine` does."""
    written: dict[int, float] = {}
    for page, persons, long in zip(hands, people, lengths, strict=True):
        for person, length in zip(persons[page.ascribed], long, strict=True):
            written[int(person)] = written.get(int(person), 0.0) + float(length)
    ranked = sorted(written, key=lambda person: -written[person])
    return {person: hand_name(place) for place, person in enumerate(ranked)}


def _handed(
    page: UnlinkedPage, hands: PageHands, people: NDArray[np.int64], names: dict[int, str]
) -> HandedPage:
    """Ascribe the words of one page; its hands that were linked to one person are merged."""
    person = people[hands.ascribed]  # (legible words,)
    same = people[None, :] == person[:, None]  # (legible words, hands of the page)
    certainty = np.clip((hands.share * same).sum(axis=1), 0.0, 1.0)
    rows, writing = page.embedded.nearest_legible, page.embedded.writing
    return HandedPage(
        page.embedded.page,
        [names[int(one)] if own else NO_HAND for one, own in zip(person[rows], writing, strict=True)],
        [float(chance) if own else 0.0 for chance, own in zip(certainty[rows], writing, strict=True)],
        tuple(map(float, page.analysed.number)),
        page.embedded.scope,
    )
