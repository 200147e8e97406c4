"""The same words by different hands: what an examiner lays side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word
from handshift.page.word_shape import shapes

MOST_GROUPS = 14
MOST_BY_SHAPE = 8
NARROWEST = 0.9
"""Width over height of a word worth comparing; narrower ones are single letters and marks."""
DOUBTFUL, OTHERS = 0.8, 0.2
"""Pairs by shape are shown where they are that much less unlike than either word is to a fifth of the others;
of 75 such pairs on twelve pages of synthetic scribes, 44 were the same word, the clearest first."""
ENOUGH = 0.3
"""Share of words with text from which on words are paired by what they say."""


@dataclass(frozen=True, slots=True)
class MatchingWords:
    """Words that say the same, or look as if they did."""

    words: tuple[int, ...]
    """Numbers on the page, from 1."""
    text: str = ""
    """What they say; empty where only their shapes were compared."""


def matching_words(words: Sequence[Word], hands: Sequence[str]) -> tuple[MatchingWords, ...]:
    """Groups of words that at least two hands wrote, those first that compare best."""
    if len(set(hands)) < 2:
        return ()
    known = sum(bool(word.text) for word in words)
    by_text = _same_text(words, hands) if known >= ENOUGH * len(words) else []
    return tuple((by_text or _same_shape(words, hands))[:MOST_GROUPS])


def _same_text(words: Sequence[Word], hands: Sequence[str]) -> list[MatchingWords]:
    """All occurrences of a word, long words first."""
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(words, 1):
        said = "".join(letter for letter in (word.text or "").casefold() if letter.isalnum())
        if said:
            groups.setdefault(said, []).append(number)
    shared = [
        MatchingWords(tuple(numbers), said)
        for said, numbers in groups.items()
        if len({hands[number - 1] for number in numbers}) > 1
    ]
    return sorted(shared, key=lambda group: (-len(group.text), group.words))


def _same_shape(words: Sequence[Word], hands: Sequence[str]) -> list[MatchingWords]:
    """Words of two hands that are each other's likest by far, the clearest first, none used twice."""
    wide = [number for number, word in enumerate(words) if word.box.width >= NARROWEST * word.box.height]
    own = {hand: [number for number in wide if hands[number] == hand] for hand in sorted(set(hands))}
    seen = {hand: shapes([words[number] for number in numbers]) for hand, numbers in own.items() if numbers}
    found = [
        (doubt, own[one][a], own[two][b])
        for one, two in combinations(seen, 2)
        for doubt, a, b in _mutual(1 - seen[one] @ seen[two].T)
    ]
    pairs: list[MatchingWords] = []
    used: set[int] = set()
    for doubt, a, b in sorted(found):
        if doubt < DOUBTFUL and not {a, b} & used and len(pairs) < MOST_BY_SHAPE:
            pairs.append(MatchingWords(tuple(sorted((a + 1, b + 1)))))
            used |= {a, b}
    return pairs


def _mutual(unlike: NDArray[np.floating]) -> Iterator[tuple[float, int, int]]:
    """Rows and columns that are each other's least, and how that compares with others; low is clear."""
    for row, column in enumerate(unlike.argmin(axis=1)):
        if unlike[:, column].argmin() == row:
            # Not the second least: a common word has several fellows.
            others = min(np.quantile(unlike[row], OTHERS), np.quantile(unlike[:, column], OTHERS))
            yield float(unlike[row, column] / max(others, 1e-9)), row, int(column)
