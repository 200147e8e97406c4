"""Draws bags from pages by a plan, thousands at once: foreign words replace host words at the same text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet, joined
from handshift.bag.choose_pages import ChosenPages, PageChooser
from handshift.bag.coded_column import CodedColumn
from handshift.bag.page_partners import Numbers, PageArrays
from handshift.bag.pages import PageRows
from handshift.bag.patterns import Frame
from handshift.bag.plan import Kind, Plan
from handshift.core.errors import HandshiftError


def fill(
    pages: PageArrays, host: Numbers, first: Numbers, size: Numbers, guests: Numbers, part: Numbers
) -> NDArray[np.int32]:
    """Signed rows (total,) of bags: guest words are stored as ~row.

    Args:
        pages: all pages.
        host: (bags,) host page.
        first: (bags,) first word of the bag on the host page.
        size: (bags,) words of the bag.
        guests: (bags, most guests) guest pages.
        part: (bags, longest) 0 where the word is the host's, g > 0 where it is of guests[:, g − 1].
    """
    place = np.arange(part.shape[1])
    inside = place < size[:, None]
    at = np.where(inside, (pages.start[host] + first)[:, None] + place, 0)
    signed = pages.rows[at]
    for column in range(guests.shape[1]):
        own = part == column + 1
        if own.any():
            taken = _places(own, first, pages.size[host], pages.size[guests[:, column]])
            rows = pages.rows[np.where(own, pages.start[guests[:, column], None] + taken, 0)]
            signed = np.where(own, ~rows, signed)
    return signed[inside].astype(np.int32)


def _places(own: NDArray[np.bool_], first: Numbers, host_size: Numbers, guest_size: Numbers) -> Numbers:
    """(bags, longest) indices of the guest's words where `own` is true: ascending, runs contiguous.

    A run that begins at word i of the host page begins at round(i · guest size / host size) of the guest's:
    the same place in the text, as far as two segmentations of it agree.
    """
    place = np.arange(own.shape[1])
    begins = own.copy()
    begins[:, 1:] &= ~own[:, :-1]
    start = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    wanted = np.rint((first[:, None] + start) * (guest_size / host_size)[:, None]).astype(np.int64)
    wanted += place - start
    rank = np.cumsum(own, axis=1) - 1
    # Runs may overlap or pass the end of the guest: shift them on, then back, keeping the order.
    rising = np.maximum.accumulate(np.where(own, wanted - rank, 0), axis=1) + rank
    return np.asarray(np.minimum(rising, (guest_size - own.sum(axis=1))[:, None] + rank))


_CHUNK = 4096
"""Bags drawn at once, which bounds memory on whole pages."""


class Drawer:
    """Draws bags from pages, uniformly over writers.

    Args:
        pages: the pages to draw from; those shorter than the plan's bags are left out.
        plan: kinds, amounts and patterns.
        line: for every row of the vector array the line of its word on the page, for `Lines`.

    Raises:
        HandshiftError: the pages cannot host a kind that the plan asks for.
    """

    def __init__(
        self, pages: Sequence[PageRows], plan: Plan, line: NDArray[np.integer[Any]] | None = None
    ) -> None:
        fewest = 2 if plan.words is None else plan.words
        self._plan = plan
        self._pages = PageArrays([page for page in pages if page.rows.size >= fewest], line)
        self._choosers = {
            kind: PageChooser(self._pages, plan, kind) for kind, weight in plan.kinds.items() if weight > 0
        }

    def draw(self, count: int, rng: np.random.Generator) -> BagSet:
        """`count` bags in the plan's proportions, in random order."""
        if count < 1:
            raise HandshiftError(f"a bag set needs at least one bag, and {count} were asked for")
        parts = []
        for kind, number in self._plan.of_each_kind(count).items():
            turn = self._turns(number, rng)
            parts += [self._of_kind(kind, turn[at : at + _CHUNK], rng) for at in range(0, number, _CHUNK)]
        return joined(parts).take(rng.permutation(count))

    def _turns(self, number: int, rng: np.random.Generator) -> Numbers:
        """(bags,) index of the amount of each bag, all equally often; remainders go to random amounts."""
        amounts = len(self._plan.foreign or self._plan.shares)
        return np.resize(rng.permutation(amounts), number).astype(np.int64)

    def _of_kind(self, kind: Kind, turn: Numbers, rng: np.random.Generator) -> BagSet:
        pages, plan = self._pages, self._plan
        choice = self._choosers[kind].draw(turn, rng)
        first = rng.integers(pages.size[choice.host] - choice.size + 1)
        share, pattern = np.zeros(turn.size), np.full(turn.size, "")
        part = np.zeros((turn.size, int(choice.size.max())), np.int64)
        if kind is not Kind.SINGLE:
            style = rng.integers(len(plan.patterns), size=turn.size)
            part = self._parts(choice, first, style, rng)
            share = np.asarray(plan.shares)[turn] if plan.shares else choice.count / choice.size
            pattern = np.array([each.name for each in plan.patterns])[style]
        columns = {
            "label": CodedColumn.of(np.full(turn.size, kind is Kind.MIXED)),
            "writer": pages.writers.take(choice.host),
            "kind": CodedColumn.of(np.full(turn.size, kind.word)),
            "key": pages.keys.take(choice.host),
            "share": CodedColumn.of(share),
            "pattern": CodedColumn.of(pattern),
        }
        signed = fill(pages, choice.host, first, choice.size, choice.guests, part)
        return BagSet.of_parts(signed, np.concatenate([[0], np.cumsum(choice.size)]), columns, 1)

    def _parts(
        self, choice: ChosenPages, first: Numbers, style: Numbers, rng: np.random.Generator
    ) -> Numbers:
        """(bags, longest) 0 for host words, 1, 2, … for the guests' in reading order."""
        foreign = np.zeros((style.size, int(choice.size.max())), bool)
        for number, pattern in enumerate(self._plan.patterns):
            own = np.flatnonzero(style == number)
            size = choice.size[own]
            line = self._lines(choice.host[own], first[own], int(size.max(initial=0)))
            placed = pattern.place(Frame(choice.count[own], size, line), rng)
            foreign[own, : placed.shape[1]] = placed
        rank = np.cumsum(foreign, axis=1) - 1
        guest = rank * (choice.hands - 1)[:, None] // choice.count[:, None]
        return np.where(foreign, 1 + guest, 0)

    def _lines(self, host: Numbers, first: Numbers, longest: int) -> Numbers | None:
        """(bags, longest) lines of the host's words; undefined beyond the end of a page."""
        pages = self._pages
        if pages.line is None:
            return None
        at = (pages.start[host] + first)[:, None] + np.arange(longest)
        return np.asarray(pages.line[np.minimum(at, pages.line.size - 1)])
