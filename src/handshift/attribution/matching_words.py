"""Matching words: the same word by different hands, for side-by-side comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from handshift.page.hand_labels import NO_HAND
from handshift.page.word import Word
from handshift.page.word_shape import shape_features

MOST_GROUPS = 14
MOST_BY_SHAPE = 8
NARROWEST = 0.9
"""Width over height of a word worth comparing; narrower ones are single letters and marks."""
DOUBTFUL, OTHERS = 0.8, 0.2
"""Pairs by shape are shown where their distance is below 0.8 of the 20 % quantile of either word's distances;
of 75 such pairs on twelve pages of synthetic scribes, 44 were the same word, the clearest first."""
ENOUGH = 0.3
"""Share of words with recognised text from which on words are matched by text instead of shape."""


@dataclass(frozen=True, slots=True)
class MatchingWords:
    """Words of the same text, or of similar shape."""

    words: tuple[int, ...]
    """Numbers on the page, from 1."""
    text: str = ""
    """Their text; empty where only shapes were compared."""


def matching_words(words: Sequence[Word], hands: Sequence[str]) -> tuple[MatchingWords, ...]:
    """Groups of matching words that at least two hands wrote.

    Args:
        words: the page's words.
        hands: (words,) the hand of each; marks without a hand are left out.

    Returns:
        At most 14 groups; long texts first, or the clearest pairs by shape where few words have text.
    """
    if len(set(hands) - {NO_HAND}) < 2:
        return ()
    known = sum(bool(word.text) for word in words)
    by_text = _same_text(words, hands) if known >= ENOUGH * len(words) else []
    return tuple((by_text or _same_shape(words, hands))[:MOST_GROUPS])


def _same_text(words: Sequence[Word], hands: Sequence[str]) -> list[MatchingWords]:
    """All occurrences of each text, long texts first."""
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(words, 1):
        text = "".join(letter for letter in (word.text or "").casefold() if letter.isalnum())
        if text:
            groups.setdefault(text, []).append(number)
    shared = [
        MatchingWords(tuple(number for number in numbers if hands[number - 1] != NO_HAND), text)
        for text, numbers in groups.items()
        if len({hands[number - 1] for number in numbers} - {NO_HAND}) > 1
    ]
    return sorted(shared, key=lambda group: (-len(group.text), group.words))


def _same_shape(words: Sequence[Word], hands: Sequence[str]) -> list[MatchingWords]:
    """Mutual nearest neighbours of two hands by shape, the clearest first, no word used twice."""
    wide = [number for number, word in enumerate(words) if word.box.width >= NARROWEST * word.box.height]
    own = {
        hand: [number for number in wide if hands[number] == hand] for hand in sorted(set(hands) - {NO_HAND})
    }
    seen = {
        hand: shape_features([words[number] for number in numbers])
        for hand, numbers in own.items()
        if numbers
    }
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


def _mutual(distance: NDArray[np.floating]) -> Iterator[tuple[float, int, int]]:
    """Mutual nearest neighbours in a distance matrix, and their distance relative to the 20 % quantile."""
    for row, column in enumerate(distance.argmin(axis=1)):
        if distance[:, column].argmin() == row:
            # Not the second smallest: a common word has several matches.
            others = min(np.quantile(distance[row], OTHERS), np.quantile(distance[:, column], OTHERS))
            yield float(distance[row, column] / max(others, 1e-9)), row, int(column)
