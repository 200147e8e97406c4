"""Matching words: the same word by different hands, for side-by-side comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handshift.page.hand_labels import NO_HAND
from handshift.page.word import Word

MOST_GROUPS = 14


@dataclass(frozen=True, slots=True)
class MatchingWords:
    """Words of the same text."""

    words: tuple[int, ...]
    """Numbers on the page, from 1."""
    text: str = ""
    """Their text, without case and punctuation."""


def matching_words(words: Sequence[Word], hands: Sequence[str]) -> tuple[MatchingWords, ...]:
    """Groups of words of one text that at least two hands wrote.

    Words whose text is not known are never paired: of pairs found by shape alone two in five were of
    different words.

    Args:
        words: the page's words, read by OCR or transcribed.
        hands: (words,) the hand of each; marks without a hand are left out.

    Returns:
        At most 14 groups, long texts first.
    """
    if len(set(hands) - {NO_HAND}) < 2:
        return ()
    return tuple(_same_text(words, hands)[:MOST_GROUPS])


def plain_text(word: Word) -> str:
    """A word's text without case and punctuation; empty where it is not known."""
    return "".join(letter for letter in (word.text or "").casefold() if letter.isalnum())


def _same_text(words: Sequence[Word], hands: Sequence[str]) -> list[MatchingWords]:
    """All occurrences of each text, long texts first."""
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(words, 1):
        if text := plain_text(word):
            groups.setdefault(text, []).append(number)
    shared = [
        MatchingWords(tuple(number for number in numbers if hands[number - 1] != NO_HAND), text)
        for text, numbers in groups.items()
        if len({hands[number - 1] for number in numbers} - {NO_HAND}) > 1
    ]
    return sorted(shared, key=lambda group: (-len(group.text), group.words))
