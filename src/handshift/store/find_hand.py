"""Where in an archive is this hand? Nearest hands first, then the calibrated comparison of `verify`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import hand_name
from handshift.attribution.same_writer import Sums
from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.scope import INSIDE, Scope
from handshift.core.counted import counted
from handshift.core.errors import HandshiftError, PageError
from handshift.embedding.prototypes import Prototypes, prototypes
from handshift.pipeline.comparer import Comparer
from handshift.pipeline.hand_finder import HandFinder
from handshift.pipeline.read_pages import existing_scans
from handshift.store.archive_store import ArchiveStore
from handshift.store.hand_index import HandIndex, query_near
from handshift.store.index_pages import FEWEST_WORDS
from handshift.store.page_entry import PageEntry

CANDIDATES = 400
"""Hands of the first stage that the second compares; benchmarks/find.py measures what it loses."""


@dataclass(frozen=True, slots=True)
class Query:
    """The hand that is looked for."""

    name: str
    """Its page, as it was named."""
    words: int
    prototype: Prototypes = field(repr=False)
    """All its words, for the first stage."""
    side: Sums = field(repr=False)
    """Its pages as sessions of one person, as `verify` compares them."""
    hand: str | None = None
    """Its letter on the page; None where all words of the page are looked for."""
    hands: tuple[str, ...] = ()
    """Found on the page."""
    scope: Scope = INSIDE
    sha256: frozenset[str] = frozenset()
    """Of its files, which are not listed as found."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page on which the hand may have written."""

    entry: PageEntry = field(repr=False)
    hand: str | None
    """Letter of the page's hand that fits best; None where the page was compared as a whole."""
    words: int
    score: float
    log10_lr: float
    """As `verify` gives it for the same words."""
    weight: float
    """Before clipping; pages are ranked by it."""
    scope: Scope = INSIDE


@dataclass(frozen=True, slots=True)
class FoundPages:
    """The ranked list, best first."""

    query: Query
    pages: tuple[FoundPage, ...]
    compared: int
    """Hands that the second stage compared."""
    hands: int
    """In the store."""
    propositions: PairPropositions
    model: str


class HandSearch:
    """An open store with its index and model.

    Args:
        store: The store's folder, or its URL.
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        dpi: Resolution of the query, where its file does not say it or is wrong.

    Raises:
        StoreError: There is no store, or another model made it.
    """

    def __init__(
        self, store: Path | str, model: str | None = None, threads: int = 2, dpi: float | None = None
    ) -> None:
        self.store = ArchiveStore.open(store)
        self.comparer = Comparer(model, threads)
        self.store.check(self.comparer.fingerprint)
        self.index = HandIndex.of(self.store, self.comparer.same_writer.plda)
        self._finder = HandFinder(model, threads, embedder=self.comparer.embedder, dpi=dpi)

    def query(self, page: Path | str, hand: str | None = None) -> Query:
        """Read the page whose hand is looked for.

        Args:
            page: A scan; every page of a file of several.
            hand: Letter of one of its hands; all its words without.

        Raises:
            PageError: The page cannot be read.
            HandshiftError: There is no such hand, or it wrote too few words.
        """
        pages = [one for path in existing_scans(page) for one in self._finder.find_pages(path)]
        readable = [one for one in pages if not isinstance(one, PageError)]
        if not readable:
            raise next(one for one in pages if isinstance(one, PageError))
        document = self._finder.link(readable)
        if hand is not None and (hand := hand.upper()) not in document.hands:
            raise HandshiftError(f"{page}: no hand {hand}; found are {', '.join(document.hands)}")
        sets = [
            one.embedded.rows[[hand in (None, name) for name in np.array(handed.hands)[one.embedded.legible]]]
            for one, handed in zip(readable, document.pages, strict=True)
        ]
        vectors = np.concatenate(sets)
        if len(vectors) < FEWEST_WORDS:
            few = counted(len(vectors), "legible word")
            raise HandshiftError(f"{page}: {few}, too few to search by; give at least {FEWEST_WORDS}")
        files = frozenset(one.embedded.page.sha256 for one in readable)
        side, found = self.comparer.same_writer.side(sets), tuple(document.hands)
        words = prototypes([vectors])
        return Query(str(page), len(vectors), words, side, hand, found, document.scope, files)

    def find(self, query: Query, count: int = 20, candidates: int = CANDIDATES) -> FoundPages:
        """Rank the pages of the store by the evidence that the query's writer wrote on them.

        Args:
            query: The hand.
            count: Pages to return at most.
            candidates: Hands that the first stage hands to the second.
        """
        numbers = self.nearest(query.prototype, candidates)
        model = self.comparer.same_writer
        ratios = model.ratios(query.side, model.sums(self.index.prototypes(numbers)))
        score, weight, log10_lr = ratios.score, ratios.weight, ratios.log10_lr
        best: dict[int, int] = {}
        for at in np.argsort(-weight, kind="stable"):
            best.setdefault(int(self.index.page[numbers[at]]), int(at))
        # Some of the best may be the query itself, which is left out below.
        pages = list(best.items())[: count + len(query.sha256) * 4]
        entries = self.store.at([self.index.place(page) for page, _ in pages])
        found = [
            self._found(query, entry, int(numbers[at]), score[at], weight[at], log10_lr[at])
            for (_, at), entry in zip(pages, entries, strict=True)
            if entry.sha256 not in query.sha256
        ]
        return FoundPages(
            query,
            tuple(found[:count]),
            len(numbers),
            len(self.index.counts),
            self.comparer.same_writer.calibration.propositions,
            self.comparer.model.id,
        )

    def nearest(self, prototype: Prototypes, count: int, probed: float | None = None) -> NDArray[np.int64]:
        """First stage: numbers of the nearest hands; `probed` as for `InvertedFile.search`.

        The size of the writing, where it is beside the vector, is left to the second stage.
        """
        vectors = Prototypes(prototype.means[:, : self.store.dimensions], prototype.counts)
        query = query_near(self.comparer.same_writer.plda, vectors)[0]
        return self.index.near.search(query, count, probed)[0]

    def _found(
        self, query: Query, entry: PageEntry, number: int, score: float, weight: float, log10_lr: float
    ) -> FoundPage:
        hand = int(self.index.hand[number])
        scope = query.scope.joined(Scope.from_record(entry.scope)) if entry.scope else query.scope
        return FoundPage(
            entry,
            None if hand < 0 else hand_name(hand),
            int(self.index.counts[number]),
            float(score),
            scope.weight * float(log10_lr),
            float(weight),
            scope,
        )
