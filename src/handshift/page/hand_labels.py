"""The hand that each word is attributed to, as PAGE-XML and TEI writers need it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from handshift.page.word import Box, Page, Word

MAIN_HAND = "A"
NO_HAND = ""
"""The hand of marks that are not writing."""


@dataclass(frozen=True, slots=True)
class HandedWord:
    """A word, its hand, and the probability that the attribution is right."""

    word: Word
    number: int
    """Place on the page in reading order, from 1."""
    hand: str
    certainty: float


@dataclass(frozen=True, slots=True)
class HandsOnPage:
    """A page and, for every word, its hand and the probability of that attribution; hand A wrote most.

    Marks that are not writing have the hand `NO_HAND`.
    """

    page: Page = field(repr=False)
    hands: Sequence[str] = field(repr=False)
    certainty: Sequence[float] = field(repr=False)
    """Probability that the word is by the hand it is ascribed to."""

    def __post_init__(self) -> None:
        if not len(self.page.words) == len(self.hands) == len(self.certainty):
            counts = (
                f"{len(self.page.words)} words, {len(self.hands)} hands, {len(self.certainty)} certainties"
            )
            raise ValueError(f"{self.page.source}: {counts} do not pair up")

    def lines(self) -> Iterator[tuple[int, list[HandedWord]]]:
        """Yield each line's number, from 1, and its words with their attributions."""
        rows = zip(self.page.words, self.hands, self.certainty, strict=True)
        words = [
            HandedWord(word, number, hand, min(max(float(certainty), 0.0), 1.0))
            for number, (word, hand, certainty) in enumerate(rows, 1)
        ]
        for line, (_, members) in enumerate(groupby(words, key=lambda handed: handed.word.line), 1):
            yield line, list(members)


def box_around(boxes: Sequence[Box]) -> Box:
    """Bounding box of several boxes."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return Box(x, y, right - x, bottom - y)
