"""A list of entries, each perhaps by another person: which two are by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from handshift.attribution.entry_ranking import rank_pairs
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.link_prior import LinkPrior
from handshift.attribution.same_writer import SameWriter
from handshift.attribution.writer_clustering import most_probable_writers
from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.scope import INSIDE, Scope
from handshift.calibration.scope_of_pages import scope_lines
from handshift.core.arrays import Vectors
from handshift.core.errors import HandshiftError
from handshift.embedding.prototypes import prototypes
from handshift.page.word import Box, Page

MOST_PAIRS = 1000
"""Pairs that are kept, best first; a list of 400 entries has 79,800."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list, or one cropped file."""

    page: Page = field(repr=False)
    line: int
    """On its page, from 1; 1 for a cropped file."""
    box: Box
    words: int
    """Legible words."""
    scope: Scope = INSIDE
    """Whether its page is like those that the model was validated on."""


@dataclass(frozen=True, slots=True)
class EntryPair:
    """Two entries and the evidence that one person wrote both."""

    entries: tuple[int, int]
    """Numbers of the entries, from 1."""
    log10_lr: float
    """Calibrated, clipped to its bounds, and shrunk where a page lies outside of the scope."""
    weight: float
    """log10 LR before clipping, less what speaks for other partners: see `rank_pairs`."""
    false_pairs: float
    """Number of pairs by two people that agree at least as well, expected in a list of this length."""


@dataclass(frozen=True, slots=True)
class EntryList:
    """Entries, their pairs ranked, and the groups by one person."""

    entries: tuple[Entry, ...] = field(repr=False)
    pairs: tuple[EntryPair, ...]
    """Best first; at most `MOST_PAIRS`."""
    groups: tuple[tuple[int, ...], ...]
    """Numbers of entries by one person, from 1; groups of two and more."""
    same_prior: float
    """Prior that one person wrote two given entries."""
    comparisons: int
    propositions: PairPropositions
    model: str
    warnings: tuple[str, ...] = ()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Of every page, in order."""
        pages = {(entry.page.source, entry.page.number): entry.scope for entry in self.entries}
        return tuple(pages.values())

    @property
    def scope(self) -> Scope:
        """Of all pages together: outside if one of them is."""
        return INSIDE.joined(*self.scopes)

    def within(self, false_pairs: float) -> tuple[EntryPair, ...]:
        """Pairs down to the rank at which so many false ones are expected."""
        return tuple(pair for pair in self.pairs if pair.false_pairs <= false_pairs)

    def __str__(self) -> str:
        best = self.pairs[0]
        one, two = best.entries
        return "\n".join(
            (
                *scope_lines(self.scopes),
                f"{len(self.entries)} entries, {self.comparisons:,} comparisons; best pair {one} and {two}: "
                f"log10 LR {best.log10_lr:+.2f}, {best.false_pairs:.2g} false pairs as good expected",
                f"  prior that one person wrote two given entries: {self.same_prior:.2g}",
                f"  one writer: {self.propositions.one_writer}",
                f"  two writers: {self.propositions.two_writers}",
                f"  population: {self.propositions.population}",
                *(f"  warning: {warning}" for warning in self.warnings),
            )
        )

    __repr__ = __str__


def one_pair_prior(entries: int) -> float:
    """Prior that two given entries are by one person if one such pair is expected in the whole list."""
    return min(0.5, 2 / (entries * (entries - 1)))


def compare_entries(
    entries: Sequence[Entry],
    vectors: Sequence[Vectors],
    model: SameWriter,
    *,
    name: str,
    same_prior: float | None = None,
    warnings: Sequence[str] = (),
) -> EntryList:
    """Compare every two entries, rank the pairs, and group entries by writer.

    What all entries have in common is removed first: sheet, scan and task say nothing of who wrote them.

    Args:
        entries: The entries.
        vectors: Word vectors of each, with sizes where they are known; none is empty.
        model: Same person or not.
        name: Id of the model.
        same_prior: Prior that one person wrote two given entries; by default one pair a list is expected.
        warnings: Of the pages.

    Raises:
        HandshiftError: There are fewer than two entries.
    """
    count = len(entries)
    if count < 2:
        raise HandshiftError(f"a list needs two entries with a legible word each, got {count}")
    evidence = GroupEvidence(model, prototypes(vectors), centred=True)
    ranked = rank_pairs(evidence)
    stated = np.array([entry.scope.weight for entry in entries])
    log10_lr = ranked.log10_lr * np.minimum(stated[ranked.one], stated[ranked.two])
    prior = LinkPrior(one_pair_prior(count) if same_prior is None else same_prior)
    labels = most_probable_writers(evidence, prior)
    groups = [tuple(int(at) + 1 for at in np.flatnonzero(labels == label)) for label in np.unique(labels)]
    return EntryList(
        tuple(entries),
        tuple(
            EntryPair(
                (int(ranked.one[at]) + 1, int(ranked.two[at]) + 1),
                float(log10_lr[at]),
                float(ranked.weight[at]),
                float(ranked.false_pairs[at]),
            )
            for at in range(min(MOST_PAIRS, ranked.weight.size))
        ),
        tuple(group for group in groups if len(group) > 1),
        prior.same,
        ranked.weight.size,
        model.calibration.propositions,
        name,
        tuple(dict.fromkeys(warnings)),
    )
