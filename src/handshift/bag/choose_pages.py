"""Chooses the host page of every bag, and the guest pages that give the foreign words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.page_partners import Numbers, PageArrays, partners_of
from handshift.bag.plan import Kind, Plan
from handshift.core.errors import HandshiftError


class HostSampler:
    """Uniform over writers, then uniform over the writer's pages."""

    def __init__(self, pages: PageArrays, able: NDArray[np.bool_]) -> None:
        chosen = np.flatnonzero(able)
        self._order = chosen[np.argsort(pages.writer[chosen], kind="stable")]
        _, self._first, self._number = np.unique(
            pages.writer[self._order], return_index=True, return_counts=True
        )

    @property
    def any(self) -> bool:
        """Whether there is any eligible page."""
        return self._order.size > 0

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """(count,) page numbers."""
        writer = rng.integers(self._first.size, size=count)
        return np.asarray(self._order[self._first[writer] + rng.integers(self._number[writer])])


_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class ChosenPages:
    """Host and guest pages of bags, before words are placed."""

    host: Numbers
    """(bags,)"""
    guests: Numbers
    """(bags, most writers − 1); a bag of fewer hands takes the first of them."""
    size: Numbers
    """(bags,) words"""
    count: Numbers
    """(bags,) foreign words"""
    hands: Numbers
    """(bags,) pages that give words, the host among them"""


class PageChooser:
    """Draws host and guest pages for bags of one kind."""

    def __init__(self, pages: PageArrays, plan: Plan, kind: Kind) -> None:
        self._pages, self._plan, self._kind = pages, plan, kind
        self._partners = partners_of(pages, kind, plan.same_prompt)
        mixed = kind is Kind.MIXED
        self._others = self._partners.parts - 1 if mixed else self._partners.count
        """(pages,) number of other writers available, or of other pages of the same writer."""
        self._hosts = HostSampler(pages, self._able())
        if not self._hosts.any:
            length = "" if plan.words is None else f" of {plan.words} words or more"
            raise HandshiftError(
                f"no page can host a bag of kind “{kind.value}”: among {len(pages)} pages{length} none has "
                f"{max(plan.writers) - 1 if mixed else 1} partners"
                f"{' of the same prompt' if plan.same_prompt else ''}; give more pages or leave this kind out"
            )

    def draw(self, turn: Numbers, rng: np.random.Generator) -> ChosenPages:
        """Pages for bags whose amount of foreign words is number `turn` (bags,) of the plan's amounts.

        Rejection sampling: drawn again where a guest is too short or two guests of a bag coincide.

        Raises:
            HandshiftError: no page fits after 200 draws.
        """
        plan, pages = self._plan, self._pages
        asked = np.asarray(plan.writers, np.int64)[rng.integers(len(plan.writers), size=turn.size)]
        host, size, count = np.zeros((3, turn.size), np.int64)
        hands = np.ones_like(host)
        guests = np.zeros((turn.size, max(plan.writers) - 1), np.int64)
        pending = np.arange(turn.size)
        for _ in range(_ROUNDS):
            host[pending] = self._hosts.draw(pending.size, rng)
            size[pending] = plan.words or pages.size[host[pending]]
            count[pending] = plan.amounts(turn[pending], size[pending])
            if self._kind is Kind.SINGLE:
                return ChosenPages(host, guests, size, count, hands)
            most = np.minimum(count[pending], self._others[host[pending]]) + 1
            hands[pending] = np.minimum(asked[pending], most)
            for column in range(guests.shape[1]):
                guests[pending, column] = self._partners.draw(host[pending], rng)
            good = self._fit(guests[pending], hands[pending], count[pending]) & (count < size)[pending]
            pending = pending[~good]
            if not pending.size:
                return ChosenPages(host, guests, size, count, hands)
        raise HandshiftError(
            f"no bag of kind “{self._kind.value}” was found in {_ROUNDS} draws: pages are too short for the "
            "foreign part; ask for fewer foreign words, or give longer pages"
        )

    def _able(self) -> NDArray[np.bool_]:
        """(pages,) whether a page has the partners that a bag of this kind needs."""
        if self._kind is Kind.SINGLE:
            return np.ones(len(self._pages), bool)
        needed = max(self._plan.writers) - 1 if self._kind is Kind.MIXED else 1
        return np.asarray(self._others >= needed)

    def _fit(self, guests: Numbers, hands: Numbers, count: Numbers) -> NDArray[np.bool_]:
        """(bags,) whether guests are long enough and distinct: by writer in a mixed bag, else by page."""
        column = np.arange(guests.shape[1])
        used = column < hands[:, None] - 1
        number = self._pages.writer[guests] if self._kind is Kind.MIXED else guests
        ordered = np.sort(np.where(used, number, -1 - column), axis=1)
        short = used & (self._pages.size[guests] < count[:, None])
        return np.asarray(~short.any(axis=1) & (ordered[:, 1:] != ordered[:, :-1]).all(axis=1))
