"""Words and letters that two writers have in common, each pair laid over each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.matching_words import plain_text
from handshift.attribution.verification import ComparedSide, Verification
from handshift.page.letter_division import Letter, divide
from handshift.page.word import Page, Word
from handshift.report.comparison_view import MOST_PAGES, side_names
from handshift.report.cut_out import cut_out
from handshift.report.laid_over import beside, ink_of, lay_over

MOST_WORDS, MOST_LETTERS, FEWEST_LETTERS = 12, 16, 3
MOST_PAIRS = 3
"""Pairs of hands of a page or document that are shown; each takes half a page of the report."""


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """A word whose text is known, and its picture."""

    word: Word = field(repr=False)
    picture: NDArray[np.uint8] = field(repr=False)

    @property
    def text(self) -> str:
        """Without case and punctuation."""
        return plain_text(self.word)

    @property
    def letters(self) -> dict[int, Letter]:
        """The letters whose place is beyond doubt, by their place in `text`."""
        text = "".join((self.word.text or "").split())
        plain = np.cumsum([letter.isalnum() for letter in text]) - 1
        found = divide(ink_of(self.picture), text)
        return {int(plain[one.place]): one for one in found if text[one.place].isalnum()}


@dataclass(frozen=True, slots=True)
class EqualWord:
    """One text as both wrote it."""

    text: str
    one: NDArray[np.uint8] = field(repr=False)
    two: NDArray[np.uint8] = field(repr=False)
    over: NDArray[np.uint8] = field(repr=False)
    """Both at one height, shifted so that they overlap most."""
    words: tuple[Word, Word] = field(repr=False)
    """Where they were written."""


@dataclass(frozen=True, slots=True)
class EqualLetter:
    """One letter as both wrote it at the same place of one word."""

    text: str
    within: str
    """The word."""
    picture: NDArray[np.uint8] = field(repr=False)
    """The first, the second, and both laid over each other."""


@dataclass(frozen=True, slots=True)
class EqualWords:
    """What two writers both wrote."""

    names: tuple[str, str]
    words: tuple[EqualWord, ...]
    """Long ones first."""
    letters: tuple[EqualLetter, ...]
    """One pair for each letter, from words that both wrote; in the order of the alphabet."""

    def __bool__(self) -> bool:
        return bool(self.words)


def equal_words(verification: Verification) -> EqualWords:
    """What both sides wrote; nothing where their words were not read."""
    first, second = (_first(_of_side(side)) for side in verification.sides)
    return shared_words(side_names(verification), first, second)


def equal_words_of_hands(
    pages: Iterable[tuple[Page, Sequence[str]]], hands: Sequence[str], label: str
) -> tuple[EqualWords, ...]:
    """What every two hands both wrote; of three pairs at most, so that the report stays short.

    Args:
        pages: Each with the hand of every word; asked for one at a time.
        hands: Those of the pages, the one that wrote most first.
        label: Stands before the letter of a hand.
    """
    pairs = sorted(combinations(hands, 2), key=lambda pair: sum(map(hands.index, pair)))[:MOST_PAIRS]
    compared = {hand for pair in pairs for hand in pair}
    written: dict[str, dict[str, WrittenWord]] = {hand: {} for hand in compared}
    for page, own in pages if pairs else ():
        for word, hand in zip(page.words, own, strict=True):
            if word.text and hand in compared:
                # copied, lest one word keep the whole page in memory
                _add(written[hand], WrittenWord(word, cut_out(page.image, word.box).copy()))
    found = [
        shared_words((f"{label} {one}", f"{label} {two}"), written[one], written[two]) for one, two in pairs
    ]
    return tuple(filter(None, found))


def shared_words(
    names: tuple[str, str], one: Mapping[str, WrittenWord], two: Mapping[str, WrittenWord]
) -> EqualWords:
    """The texts of three letters and more on both sides, and the letters in them."""
    shared = sorted(set(one) & set(two), key=lambda text: (-len(text), text))
    pairs = [(one[text], two[text]) for text in shared]
    words = tuple(_words(*pair) for pair in pairs[:MOST_WORDS])
    return EqualWords(names, words, tuple(_letters(pairs))[:MOST_LETTERS])


def _words(one: WrittenWord, two: WrittenWord) -> EqualWord:
    over = lay_over(ink_of(one.picture), ink_of(two.picture))
    return EqualWord(one.text, one.picture, two.picture, over, (one.word, two.word))


def _letters(pairs: Iterable[tuple[WrittenWord, WrittenWord]]) -> Iterator[EqualLetter]:
    """For each letter the pair at one place of one word that is separated from its neighbours most surely."""
    best: dict[str, tuple[float, str, Letter, Letter]] = {}
    for one, two in pairs:
        first, second = one.letters, two.letters
        for place in sorted(set(first) & set(second)):
            own, other = first[place], second[place]
            certainty = min(own.certainty, other.certainty)
            if own.text == other.text and (own.text not in best or certainty > best[own.text][0]):
                best[own.text] = certainty, one.text, own, other
    for text in sorted(best, key=lambda letter: (letter.isdigit(), letter.casefold(), letter)):
        _, within, own, other = best[text]
        yield EqualLetter(text, within, beside(own.ink, other.ink))


def _first(words: Iterable[WrittenWord]) -> dict[str, WrittenWord]:
    found: dict[str, WrittenWord] = {}
    for word in words:
        _add(found, word)
    return found


def _add(found: dict[str, WrittenWord], word: WrittenWord) -> None:
    """Keep the first occurrence of every text that is long enough."""
    if len(word.text) >= FEWEST_LETTERS:
        found.setdefault(word.text, word)


def _of_side(side: ComparedSide) -> Iterator[WrittenWord]:
    for compared in side.pages[:MOST_PAGES]:
        for word, influence in zip(compared.page.words, compared.influence, strict=True):
            if word.text and np.isfinite(influence):
                yield WrittenWord(word, cut_out(compared.page.image, word.box))
