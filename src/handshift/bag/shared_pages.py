"""Composed pages of one text by several hands, with the known hand of each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from handshift.bag.pages import PageRows, Rows
from handshift.core.errors import HandshiftError

Texts = dict[str, list[PageRows]]
"""Pages of one text, by writer."""
SHORTEST_BLOCK = 10
_ROUNDS = 200


class Sharing(Enum):
    """How the words of a page are divided among hands."""

    BLOCKS = "blocks of ten words or more"
    SCATTERED = "single scattered words"


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A composed page: rows in reading order, and the hand of each word from 0."""

    rows: Rows
    hands: NDArray[np.int64]
    writers: tuple[str, ...]
    """One for each part; a page spliced from two sessions has one writer twice."""

    @property
    def count(self) -> int:
        """Number of writers."""
        return len(set(self.writers))

    @property
    def truth(self) -> NDArray[np.int64]:
        """(words,) writer of each word by number; parts by one writer have one number."""
        names = sorted(set(self.writers))
        return np.array([names.index(name) for name in self.writers])[self.hands]


class SharedPages:
    """Draws composed pages from whole pages of one text, uniformly over writers."""

    def __init__(self, pages: Sequence[PageRows], seed: int, block: int = SHORTEST_BLOCK) -> None:
        self._rng = np.random.default_rng(seed)
        self._block = block
        self._by_prompt: dict[str, Texts] = {}
        for page in pages:
            if page.rows.size >= 4 * block:
                self._by_prompt.setdefault(page.prompt, {}).setdefault(page.writer, []).append(page)

    def several(self, hands: int, sharing: Sharing = Sharing.BLOCKS, share: float = 0.3) -> SharedPage:
        """One page by `hands` writers; scattered words make up `share` of it.

        Raises:
            HandshiftError: no long enough text is by so many writers.
        """
        able = [self._long(texts, hands) for texts in self._by_prompt.values()]
        able = [texts for texts in able if len(texts) >= hands]
        if not able:
            raise HandshiftError(
                f"no text of {hands * self._block} words was written by {hands} writers; give more pages"
            )
        sizes = np.array([len(texts) for texts in able], float)
        texts = able[self._rng.choice(len(able), p=sizes / sizes.sum())]
        names = self._rng.choice(sorted(texts), size=hands, replace=False)
        parts = [texts[name][self._rng.integers(len(texts[name]))] for name in names]
        return self._composed(parts, sharing, share)

    def spliced(self, sharing: Sharing = Sharing.BLOCKS, share: float = 0.3) -> SharedPage:
        """One page by one writer in two sessions.

        Raises:
            HandshiftError: no writer has one text from two sessions.
        """
        for _ in range(_ROUNDS if self._by_prompt else 0):
            texts = list(self._by_prompt.values())[self._rng.integers(len(self._by_prompt))]
            pages = texts[sorted(texts)[self._rng.integers(len(texts))]]
            one, two = (pages[self._rng.integers(len(pages))] for _ in range(2))
            if one.session != two.session:
                return self._composed([one, two], sharing, share)
        raise HandshiftError("no writer has one text from two sessions; spliced pages need that")

    def _long(self, texts: Texts, hands: int) -> Texts:
        """Pages long enough for `hands` blocks."""
        long = {
            writer: [page for page in pages if page.rows.size >= hands * self._block]
            for writer, pages in texts.items()
        }
        return {writer: pages for writer, pages in long.items() if pages}

    def _composed(self, parts: Sequence[PageRows], sharing: Sharing, share: float) -> SharedPage:
        size = min(part.rows.size for part in parts)
        if sharing is Sharing.BLOCKS:
            hands = self._blocks(len(parts), size)
        else:
            hands = np.zeros(size, np.int64)
            others = max(len(parts) - 1, round(share * size)) if len(parts) > 1 else 0
            places = self._rng.permutation(size)[:others]
            hands[places] = 1 + np.arange(others) % max(1, len(parts) - 1)
        rows = np.empty(size, np.int64)
        for number, part in enumerate(parts):
            # The same place in the text, as far as two segmentations of it agree.
            at = np.rint(np.arange(size) * (part.rows.size - 1) / max(1, size - 1)).astype(np.int64)
            rows[hands == number] = part.rows[at[hands == number]]
        return SharedPage(rows, hands, tuple(part.writer for part in parts))

    def _blocks(self, hands: int, size: int) -> NDArray[np.int64]:
        """(words,) one run for each hand, lengths uniform among those that leave no run too short."""
        spare = size - hands * self._block
        cuts = np.sort(self._rng.integers(spare + 1, size=hands - 1))
        lengths = self._block + np.diff(np.concatenate([[0], cuts, [spare]]))
        return np.repeat(np.arange(hands), lengths)
