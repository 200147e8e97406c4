"""Whose hand each word is in, as the writers of PAGE-XML and TEI are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from handshift.page.word import Box, Page, Word

MAIN_HAND = "A"


@dataclass(frozen=True, slots=True)
class HandedWord:
    """A word, its hand (A is the page's main one) and the probability that it is *not* in hand A."""

    word: Word
    number: int
    """Place on the page in reading order, from 1."""
    hand: str
    posterior: float

    @property
    def certainty(self) -> float:
        """Probability that the word is rightly inside, or rightly outside, of the main hand."""
        return 1.0 - self.posterior if self.hand == MAIN_HAND else self.posterior


def lines_with_hands(
    page: Page, hands: Sequence[str], posteriors: Sequence[float]
) -> Iterator[tuple[int, list[HandedWord]]]:
    """Yield each line's number from 1 and its words, paired with what was found about them."""
    if not len(page.words) == len(hands) == len(posteriors):
        counts = f"{len(page.words)} words, {len(hands)} hands and {len(posteriors)} posteriors"
        raise ValueError(f"{page.source}: {counts} do not pair up")
    words = [
        HandedWord(word, number, hand, min(max(float(posterior), 0.0), 1.0))
        for number, (word, hand, posterior) in enumerate(zip(page.words, hands, posteriors, strict=True), 1)
    ]
    for line, (_, members) in enumerate(groupby(words, key=lambda handed: handed.word.line), 1):
        yield line, list(members)


def box_around(boxes: Sequence[Box]) -> Box:
    """Bound several boxes by one."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return Box(x, y, right - x, bottom - y)
