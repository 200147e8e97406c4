"""How strongly each hand of a page is linked with the rest of its writer's hands, and what decided it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.writer_clustering import Labels
from handshift.core.arrays import Floats

WEAK = 1.0
"""|log10 LR| below which a link, or its absence, is called weak: at most ten to one."""


@dataclass(frozen=True, slots=True)
class HandLink:
    """One hand of one page against everything else by one hand of the document."""

    page: int
    """From 1."""
    hand: str
    """The hand of the document that this hand of the page was assigned to."""
    words: int
    to: str
    """`hand` where it was linked; otherwise the hand of the document that it is most like."""
    log10_lr: float
    """One writer against two, calibrated and clipped to the bounds."""
    bounds: tuple[float, float]
    withheld: bool = False
    """Whether no ratio is stated, since a page lies outside of what the model was validated on."""

    @property
    def linked(self) -> bool:
        """Whether it was linked with other pages."""
        return self.hand == self.to

    @property
    def weak(self) -> bool:
        """Whether the ratio is below ten to one either way."""
        return not self.withheld and abs(self.log10_lr) < WEAK

    @property
    def turned(self) -> bool:
        """Whether prior or other links decided against the ratio."""
        return bool(self.log10_lr) and self.linked != (self.log10_lr > 0)


@dataclass(frozen=True, slots=True)
class PagePair:
    """Two hands of two pages compared by themselves, as `verify` compares them."""

    pages: tuple[int, int]
    """From 1."""
    hands: tuple[str, str]
    """The hands of the document they were assigned to."""
    log10_lr: float
    withheld: bool = False
    """As of a `HandLink`."""

    @property
    def turned(self) -> bool:
        """Whether prior or further pages decided against the sign of the ratio."""
        return bool(self.log10_lr) and (self.hands[0] == self.hands[1]) != (self.log10_lr > 0)


def links_of(
    evidence: GroupEvidence, writers: Labels, pages: Labels, names: Sequence[str], scope: Floats
) -> Iterator[HandLink]:
    """One link for every hand of every page, where the document has another.

    Args:
        evidence: of the hands of all pages.
        writers: (hands,) the writer of each.
        pages: (hands,) page of each, from 0.
        names: (hands,) name of each one's writer.
        scope: (hands,) factor of the log10 LR on each one's page; the least of all hands compared counts.
    """
    if len(evidence) < 2:
        return
    groups = writers == np.unique(writers)[:, None]  # (writers, hands)
    for hand, (page, name) in enumerate(zip(pages, names, strict=True)):
        own = np.arange(len(writers)) == hand
        rest = groups[groups[:, hand]] & ~own
        others = rest if rest.any() else groups[~groups[:, hand]]
        ratios = evidence.ratios(own[None], others)
        best = int(ratios.weight.argmax())
        weight = float(scope[own | others[best]].min())
        yield HandLink(
            page=int(page) + 1,
            hand=name,
            words=int(evidence.hands.counts[hand]),
            to=names[int(others[best].argmax())],
            log10_lr=float(ratios.log10_lr[best]) * weight,
            bounds=(float(ratios.low[best]), float(ratios.high[best])),
            withheld=weight == 0,
        )


def pairs_of(pairs: Floats, pages: Labels, names: Sequence[str], scope: Floats) -> Iterator[PagePair]:
    """Every two hands of different pages with their ratio, from `GroupEvidence.pairs`."""
    for one in range(len(pages)):
        for two in range(one + 1, len(pages)):
            if pages[one] != pages[two]:
                numbers = (int(pages[one]) + 1, int(pages[two]) + 1)
                weight = float(scope[[one, two]].min())
                stated = float(pairs[one, two]) * weight
                yield PagePair(numbers, (names[one], names[two]), stated, withheld=weight == 0)
