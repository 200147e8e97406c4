"""Documents drawn from whole pages of known writers: mixed ones, page pairs, and one substituted page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from database_pages import KnownPage, by_writer

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.link_prior import LinkPrior
from handshift.attribution.page_hands import analyse_page
from handshift.attribution.page_linking import LinkedPages, VectorPage, link_pages
from handshift.attribution.same_writer import SameWriter
from handshift.core.run_journal import digest_of
from handshift.embedding.prototypes import prototypes
from handshift.models.shipped_models import find_model

MOST_WRITERS = 10


class Model:
    """What `handshift hands` and `handshift verify` compute with, and every page analysed once."""

    def __init__(self, name: str | None) -> None:
        shipped = find_model(name)
        self.id, self.plda, self.hands = shipped.card.id, shipped.covariances(), shipped.hands()
        self.fingerprint = digest_of(shipped.folder)
        self.same = SameWriter.of(self.plda, shipped.comparison())
        self.prior = LinkPrior()
        self._analysed: dict[str, VectorPage] = {}

    def analysed(self, page: KnownPage) -> VectorPage:
        """The page's hands, found by itself."""
        if page.record.page not in self._analysed:
            found = analyse_page(page.vectors, self.plda, self.hands)
            self._analysed[page.record.page] = VectorPage(found, page.rows)
        return self._analysed[page.record.page]


@dataclass(frozen=True)
class Document:
    """Pages, and who wrote them."""

    pages: Sequence[KnownPage]

    @property
    def truth(self) -> np.ndarray:
        """(pages,) number of each one's writer."""
        return np.asarray(np.unique([page.writer for page in self.pages], return_inverse=True)[1])

    @property
    def means(self) -> np.ndarray:
        """(pages, dimensions) unit mean vectors."""
        means = np.array([page.vectors.mean(axis=0) for page in self.pages])
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))

    def linked(self, model: Model) -> LinkedPages:
        """As `handshift hands` links them."""
        return link_pages([model.analysed(page) for page in self.pages], model.same, model.prior)

    def ratios(self, model: Model) -> np.ndarray:
        """(pages, pages) log10 LR of `verify`."""
        return GroupEvidence(model.same, prototypes([page.rows for page in self.pages])).pairs()


@dataclass(frozen=True)
class Found:
    """What `handshift hands` says of a document."""

    main: np.ndarray
    """(pages,) the writer of most words of each."""
    writers: int
    divided: int
    """Pages on which it found several hands; every page drawn here has one."""

    @classmethod
    def of(cls, document: Document, model: Model) -> Found:
        """Link the document."""
        linked = document.linked(model)
        main = [
            own[np.bincount(one.ascribed).argmax()]
            for own, one in zip(linked.writers, linked.hands, strict=True)
        ]
        divided = sum(np.unique(own).size > 1 for own in linked.writers)
        return cls(np.array(main), int(np.unique(linked.clusters.labels).size), divided)


def mixed_documents(
    pages: Sequence[KnownPage], count: int, most: int, each: int, seed: int
) -> list[Document]:
    """Documents of 2 … `most` pages in turn, by 1 … 10 writers with at most `each` pages."""
    rng = np.random.default_rng(seed)
    owned = by_writer(pages)
    sizes = range(2, most + 1)
    documents: list[Document] = []
    while len(documents) < count:
        size = sizes[len(documents) % len(sizes)]
        writers = int(rng.integers(-(-size // each), min(MOST_WRITERS, size, len(owned)) + 1))
        names = rng.permutation(list(owned))[:writers]
        room = {name: min(each, len(owned[name])) for name in names}
        if sum(room.values()) < size:
            continue
        counts = dict.fromkeys(names, 1)
        while sum(counts.values()) < size:
            free = [name for name in names if counts[name] < room[name]]
            counts[free[int(rng.integers(len(free)))]] += 1
        chosen = [
            owned[name][at] for name in names for at in rng.permutation(len(owned[name]))[: counts[name]]
        ]
        documents.append(Document([chosen[at] for at in rng.permutation(len(chosen))]))
    return documents


@dataclass(frozen=True)
class PagePairs:
    """Two pages of one writer, on two days where the database has such, and two pages of two writers."""

    documents: list[Document]
    same: np.ndarray
    """(pairs,)"""
    two_days: bool

    @property
    def owner(self) -> np.ndarray:
        """(pairs,) writer of the first page."""
        return np.array([document.pages[0].writer for document in self.documents])


def page_pairs(pages: Sequence[KnownPage], count: int, seed: int) -> PagePairs:
    """At most `count` pairs of either kind, every two writers alike often."""
    rng = np.random.default_rng(seed)
    writer = np.array([page.writer for page in pages])
    session = np.array([page.session for page in pages])
    one, two = np.triu_indices(len(pages), 1)
    same = writer[one] == writer[two]
    days = session[one] != session[two]
    two_days = bool((same & days).any())
    kept = ~same | days if two_days else np.ones_like(same)
    chosen = []
    for kind in (True, False):
        rows = np.flatnonzero(kept & (same == kind))
        who = [" ".join(sorted(pair)) for pair in zip(writer[one[rows]], writer[two[rows]], strict=True)]
        _, which, often = np.unique(who, return_inverse=True, return_counts=True)
        weight = 1 / often[which]
        chosen.append(rng.choice(rows, min(count, rows.size), replace=False, p=weight / weight.sum()))
    at = np.concatenate(chosen)
    documents = [Document([pages[one[row]], pages[two[row]]]) for row in at]
    return PagePairs(documents, same[at], two_days)


@dataclass(frozen=True)
class Substitution:
    """Ten pages by one writer, and the same with one page by another."""

    intact: Document
    substituted: Document
    place: int

    def found(self, said: Found) -> bool:
        """Whether that page was set apart and no other page was."""
        rest = np.delete(said.main, self.place)
        return bool((rest == rest[0]).all()) and bool(said.main[self.place] != rest[0])


def substitutions(pages: Sequence[KnownPage], count: int, size: int, seed: int) -> Iterator[Substitution]:
    """Of every writer with `size` pages in turn; none where fewer than five writers have so many."""
    rng = np.random.default_rng(seed)
    owned = by_writer(pages)
    rich = [name for name, own in owned.items() if len(own) >= size]
    for number in range(count if len(rich) >= 5 else 0):
        name = rich[number % len(rich)]
        own = [owned[name][at] for at in rng.permutation(len(owned[name]))[:size]]
        others = [other for other in owned if other != name]
        stranger = owned[others[int(rng.integers(len(others)))]]
        place = int(rng.integers(size))
        changed = [*own[:place], stranger[int(rng.integers(len(stranger)))], *own[place + 1 :]]
        yield Substitution(Document(own), Document(changed), place)
