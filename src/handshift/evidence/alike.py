"""The same words by different hands: what an examiner lays side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handshift.page.shape import outlines, unlikeness
from handshift.page.word import Word

MOST_GROUPS = 14
MOST_BY_SHAPE = 8
NARROWEST = 0.9
"""Width over height of a word worth comparing; narrower ones are single letters and marks."""
ENOUGH = 0.3
"""Share of words with text from which on words are paired by what they say."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Words that say the same, or look as if they did."""

    words: tuple[int, ...]
    """Numbers on the page, from 1."""
    text: str = ""
    """What they say; empty where only their shapes were compared."""


def alike(words: Sequence[Word], hands: Sequence[str]) -> tuple[Alike, ...]:
    """Groups of words that at least two hands wrote, those first that compare best."""
    if len(set(hands)) < 2:
        return ()
    known = sum(bool(word.text) for word in words)
    by_text = _same_text(words, hands) if known >= ENOUGH * len(words) else []
    return tuple((by_text or _same_shape(words, hands))[:MOST_GROUPS])


def _same_text(words: Sequence[Word], hands: Sequence[str]) -> list[Alike]:
    """All occurrences of a word, long words first."""
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(words, 1):
        said = "".join(letter for letter in (word.text or "").casefold() if letter.isalnum())
        if said:
            groups.setdefault(said, []).append(number)
    shared = [
        Alike(tuple(numbers), said)
        for said, numbers in groups.items()
        if len({hands[number - 1] for number in numbers}) > 1
    ]
    return sorted(shared, key=lambda group: (-len(group.text), group.words))


def _same_shape(words: Sequence[Word], hands: Sequence[str]) -> list[Alike]:
    """Pairs of words of two hands, the most alike first, none used twice."""
    wide = [number for number, word in enumerate(words) if word.box.width >= NARROWEST * word.box.height]
    profiles, widths = outlines([words[number] for number in wide])
    cost = unlikeness((profiles, widths), (profiles, widths))
    own = np.array([hands[number] for number in wide])
    cost[own[:, None] == own[None, :]] = np.inf
    pairs = []
    for _ in range(MOST_BY_SHAPE):
        if not cost.size or not np.isfinite(cost).any():
            break
        one, two = divmod(int(cost.argmin()), len(wide))
        pairs.append(Alike(tuple(sorted((wide[one] + 1, wide[two] + 1)))))
        for gone in (one, two):
            cost[gone], cost[:, gone] = np.inf, np.inf
    return pairs
