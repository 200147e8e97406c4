"""Mixtures whose truth is known: a block of one page's words replaced by another page's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from handshift.bag.bagset import Bag
from handshift.bag.kinds import Kind
from handshift.bag.pages import PageRows


class Mixer:
    """Draws bags from pages, every writer alike, always at a matched prompt.

    Matched, because all pages of a prompt hold one text: another hand must not be given away by other words.
    One bag after another, as the shipped calibration was drawn; `drawing` has more patterns and is faster.
    """

    def __init__(self, pages: Sequence[PageRows], seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._pages = list(pages)

    def draw(self, kind: Kind, count: int, share: float, words: int | None = None) -> list[Bag]:
        """`count` bags with a `share` of foreign words; whole pages, or `words` consecutive ones."""
        enough = [page for page in self._pages if words is None or page.rows.size >= words]
        self._memory: dict[tuple[Kind, tuple[str, str, int]], list[PageRows]] = {}
        hosts = self._by_writer(enough, lambda page: bool(self._guests(page, kind, enough)))
        if not hosts:
            raise ValueError(f"no page can host a bag of kind “{kind.value}”")
        names = sorted(hosts)
        bags = []
        for _ in range(count):
            pages = hosts[names[self._rng.integers(len(names))]]
            host = pages[self._rng.integers(len(pages))]
            guests = self._guests(host, kind, enough)
            bags.append(self._mix(host, guests[self._rng.integers(len(guests))], kind, share, words))
        return bags

    def _mix(self, host: PageRows, guest: PageRows, kind: Kind, share: float, words: int | None) -> Bag:
        first = 0 if words is None else int(self._rng.integers(host.rows.size - words + 1))
        rows = host.rows[first : first + words if words else None].copy()
        foreign = np.zeros(rows.size, bool)
        if kind is not Kind.SINGLE:
            length = min(max(1, round(share * rows.size)), guest.rows.size - 1)
            start = int(self._rng.integers(rows.size - length + 1))
            # The same place in the text, as far as two segmentations of it agree.
            at = round((first + start) * guest.rows.size / host.rows.size)
            at = min(at, guest.rows.size - length)
            rows[start : start + length] = guest.rows[at : at + length]
            foreign[start : start + length] = True
        return Bag(rows, foreign, host.writer, kind is Kind.MIXED, kind.word, host.key)

    def _guests(self, host: PageRows, kind: Kind, pages: Sequence[PageRows]) -> list[PageRows]:
        """Pages that may give words to `host`; a single page gives to itself."""
        if kind is Kind.SINGLE:
            return [host]
        key = (host.prompt, host.writer, host.session)
        if (kind, key) not in self._memory:
            same_text = [page for page in pages if page.prompt == host.prompt]
            if kind is Kind.MIXED:
                found = [page for page in same_text if page.writer != host.writer]
            else:
                found = [p for p in same_text if p.writer == host.writer]
                found = [p for p in found if (p.session == host.session) == (kind is Kind.PAGES)]
            self._memory[kind, key] = found
        found = self._memory[kind, key]
        return [page for page in found if page is not host] if kind is Kind.PAGES else found

    @staticmethod
    def _by_writer(
        pages: Sequence[PageRows], accept: Callable[[PageRows], bool]
    ) -> dict[str, list[PageRows]]:
        hosts: dict[str, list[PageRows]] = {}
        for page in pages:
            if accept(page):
                hosts.setdefault(page.writer, []).append(page)
        return hosts
