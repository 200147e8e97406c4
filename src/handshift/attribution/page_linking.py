"""Hands linked across the pages of a document, under the one model of "same person or not"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.link_prior import LinkPrior
from handshift.attribution.page_hands import AnalysedPage, PageHands, assign_words
from handshift.attribution.same_writer import LN10, SameWriter
from handshift.attribution.writer_clustering import Labels, WriterClusters, cluster_writers
from handshift.core.arrays import Flags, Floats, Vectors
from handshift.embedding.prototypes import Prototypes, prototypes

UNLINKED_PRIOR = 0.02
"""Prior odds of a hand that wrote parts of pages and most of none, against one that wrote most of a page.

The words that differ most on a page were selected for that, as were those of the next; they agree."""
_SUREST = 30.0
"""Largest ln odds of two people for hands of one page, where the page leaves no other possibility."""


@dataclass(frozen=True, slots=True)
class VectorPage:
    """A page analysed by itself, and the rows of its legible words that are compared with other pages'."""

    analysed: AnalysedPage
    vectors: Vectors
    """(words, dimensions), or one column more: see `with_sizes`."""


@dataclass(frozen=True, slots=True)
class LinkedPages:
    """The hands of every page, and their writers."""

    hands: list[PageHands]
    """For every page; each of its hands wrote a word."""
    writers: list[Labels]
    """For every page, the writer of each of its hands."""
    pages: Labels
    """(hands of all pages,) the page of each, from 0."""
    evidence: GroupEvidence
    clusters: WriterClusters


def link_pages(pages: Sequence[VectorPage], model: SameWriter, prior: LinkPrior) -> LinkedPages:
    """Link the hands of pages, with a lower prior for hands that wrote most of no page.

    Unusual words of a page sometimes form a hand of their own, and those of several pages of one writer agree
    with each other. The number of hands of each such page is therefore estimated a second time, with the
    prior `UNLINKED_PRIOR` for every hand that is the main hand of no other page, and all pages are linked
    again.

    Args:
        pages: The document's pages, each analysed by itself.
        model: Same person or not.
        prior: Of every link between its hands.

    Returns:
        The hands of every page, the writer of each hand, and the evidence for that.
    """
    found = _link([_used(page.analysed.page_hands) for page in pages], pages, model, prior)
    doubtful = [number for number in range(len(pages)) if _has_unlinked(number, found)]
    if not doubtful:
        return found
    hands = [*found.hands]
    for number in doubtful:
        hands[number] = _used(_revise(number, found, pages, model, prior))
    return _link(hands, pages, model, prior)


def _link(
    hands: list[PageHands], pages: Sequence[VectorPage], model: SameWriter, prior: LinkPrior
) -> LinkedPages:
    page_of = np.repeat(np.arange(len(hands)), [one.hands for one in hands])
    samples = _joined([_samples(one, page.vectors) for one, page in zip(hands, pages, strict=True)])
    evidence = GroupEvidence(model, samples, _apart(hands, page_of))
    clusters = cluster_writers(evidence, prior)
    writers = np.split(clusters.labels, np.cumsum([one.hands for one in hands])[:-1])
    return LinkedPages(hands, writers, page_of, evidence, clusters)


def _samples(hands: PageHands, vectors: Vectors) -> Prototypes:
    """Mean and number of the words ascribed to each hand of a page."""
    return prototypes([vectors[hands.ascribed == hand] for hand in range(hands.hands)])


def _joined(parts: Sequence[Prototypes]) -> Prototypes:
    return Prototypes(
        np.concatenate([part.means for part in parts]), np.concatenate([part.counts for part in parts])
    )


def _used(hands: PageHands) -> PageHands:
    """Leave out hands that no word is ascribed to."""
    return replace(hands, share=hands.share[:, np.unique(hands.ascribed)])


def _apart(hands: Sequence[PageHands], page_of: Labels) -> Floats:
    """(hands, hands) ln odds of two people for hands of one page: so many hands against one fewer."""
    odds = np.zeros(len(hands))
    for page, one in enumerate(hands):
        if one.hands > 1:
            chance = np.maximum(one.number[[one.hands - 2, one.hands - 1]], 1e-300)
            odds[page] = np.clip(np.log(chance[1] / chance[0]), 0.0, _SUREST)
    same = page_of[:, None] == page_of
    np.fill_diagonal(same, False)
    return np.asarray(same * odds[page_of])


def _main_hands(found: LinkedPages) -> Flags:
    """(hands of all pages,) whether it wrote most words of its page."""
    words = found.evidence.hands.counts
    return np.array([words[at] == words[found.pages == page].max() for at, page in enumerate(found.pages)])


def _has_unlinked(number: int, found: LinkedPages) -> bool:
    """Whether one of several hands of a page is the main hand of no other page."""
    own = set(found.writers[number].tolist())
    elsewhere = set(found.clusters.labels[_main_hands(found) & (found.pages != number)].tolist())
    return bool(elsewhere) and len(own) > 1 and not own <= elsewhere


def _revise(
    number: int, found: LinkedPages, pages: Sequence[VectorPage], model: SameWriter, prior: LinkPrior
) -> PageHands:
    """Assign a page's words again, every number of hands down-weighted by its unlinked hands."""
    page = pages[number]
    others = np.flatnonzero(_main_hands(found) & (found.pages != number))
    elsewhere, writers = found.evidence.hands[others], found.clusters.labels[others]
    unlinked = np.zeros(page.analysed.number.size)
    for count, hypothesis in enumerate(page.analysed.found.best):
        if hypothesis is not None:
            tried = _samples(_used(PageHands(page.analysed.number, hypothesis.share)), page.vectors)
            unlinked[count] = _strangers(tried, elsewhere, writers, model, prior)
    weight = page.analysed.number * UNLINKED_PRIOR**unlinked
    return assign_words(page.analysed.found, weight / weight.sum())


def _strangers(
    tried: Prototypes, elsewhere: Prototypes, writers: Labels, model: SameWriter, prior: LinkPrior
) -> int:
    """How many of these hands would be linked with no main hand of the other pages."""
    groups = model.sums(elsewhere).grouped(writers == np.unique(writers)[:, None])
    hands = model.sums(tried)
    ratios = [model.ratios(hands[at : at + 1], groups).weight.max() for at in range(len(tried))]
    return sum(LN10 * ratio + prior.log_odds <= 0 for ratio in ratios)
