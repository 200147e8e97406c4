"""The hands of a whole document: their words, their pages, and the places where the hand changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handshift.attribution.hand_links import HandLink, PagePair
from handshift.attribution.link_prior import EVEN, LinkPrior
from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.scope import INSIDE, Scope
from handshift.calibration.scope_of_pages import scope_lines
from handshift.calibration.verbal_scale import Language
from handshift.page.hand_labels import NO_HAND, HandsOnPage


def hand_name(place: int) -> str:
    """A, B, …, Z, AA, AB, … for 0, 1, …, like the columns of a spreadsheet; A wrote most."""
    name = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


@dataclass(frozen=True, slots=True)
class HandedPage(HandsOnPage):
    """One page, its words assigned to hands of the document."""

    number: tuple[float, ...]
    """Posterior of 1 … 5 hands on this page, analysed by itself."""
    scope: Scope = INSIDE
    """Whether the page is like those that the model was validated on."""

    @property
    def present(self) -> list[str]:
        """The hands on this page, the one of most words first."""
        return [hand for hand, _ in Counter(self.hands).most_common() if hand != NO_HAND]


@dataclass(frozen=True, slots=True)
class HandChange:
    """A word by another hand than the word before it."""

    page: int
    line: int
    word: int
    """All from 1; the word's place on its page in reading order."""
    before: str
    after: str
    certainty: float
    """Of the word after the change."""


@dataclass(frozen=True, slots=True)
class Document:
    """Pages and their hands; A wrote most of the document."""

    pages: tuple[HandedPage, ...] = field(repr=False)
    model: str
    population: str
    """The writers that the calibration represents."""
    prior: tuple[float, ...]
    """Prior of 1 … 5 hands on a page."""
    warnings: tuple[str, ...] = ()
    same_prior: float = EVEN
    """Prior that one person wrote two given pages; that of the number of writers follows from it."""
    writers: tuple[float, ...] = ()
    """Posterior of 1 … n writers of the document, with the hands of its pages as found."""
    links: tuple[HandLink, ...] = field(default=(), repr=False)
    """One for every hand of every page, where the document has another."""
    pairs: tuple[PagePair, ...] = field(default=(), repr=False)
    """Every two hands of different pages, compared by themselves as `verify` does."""
    propositions: PairPropositions | None = field(default=None, repr=False)
    """What the ratios of links and pairs compare; None where the document has none."""

    @property
    def hands(self) -> dict[str, int]:
        """Every hand and its number of words, A first."""
        counts = Counter(hand for page in self.pages for hand in page.hands if hand != NO_HAND)
        return {hand: counts[hand] for hand in sorted(counts, key=lambda name: (len(name), name))}

    def pages_of(self, hand: str) -> list[int]:
        """Pages on which a hand wrote, from 1."""
        return [number for number, page in enumerate(self.pages, 1) if hand in page.hands]

    def telling_pages(self, hands: int = 4, each: int = 2) -> list[int]:
        """Places, from 0, of the pages that show most of each of the first hands."""
        found: set[int] = set()
        for hand in list(self.hands)[:hands]:
            counts = Counter({place: page.hands.count(hand) for place, page in enumerate(self.pages)})
            found.update(place for place, count in counts.most_common(each) if count)
        return sorted(found)

    @property
    def writers_prior(self) -> tuple[float, ...]:
        """Prior of 1 … n writers, as many as `writers`."""
        return tuple(map(float, LinkPrior(self.same_prior).writers(len(self.writers))))

    @property
    def turned(self) -> tuple[PagePair, ...]:
        """Pairs of pages on which prior or further pages decided against their own comparison."""
        return tuple(pair for pair in self.pairs if pair.turned)

    @property
    def scope(self) -> Scope:
        """Of all pages together: outside if one of them is."""
        return INSIDE.joined(*(page.scope for page in self.pages))

    def scope_lines(self, language: Language = Language.en) -> list[str]:
        """What a reader must know of the scope before any figure, and of which pages."""
        return scope_lines([page.scope for page in self.pages], language)

    @property
    def changes(self) -> Iterator[HandChange]:
        """Words at which the hand changes, in reading order."""
        previous = None
        for number, page in enumerate(self.pages, 1):
            rows = zip(page.page.words, page.hands, page.certainty, strict=True)
            for place, (word, hand, certainty) in enumerate(rows, 1):
                if hand == NO_HAND:
                    continue
                if previous is not None and hand != previous:
                    yield HandChange(number, word.line + 1, place, previous, hand, certainty)
                previous = hand

    def __str__(self) -> str:
        words = sum(self.hands.values())
        counts = ", ".join(f"{hand} {count} words" for hand, count in self.hands.items())
        changes = sum(1 for _ in self.changes)
        prior = ", ".join(f"{share:.2g}" for share in self.prior)
        found, before = likely_numbers(self.writers), likely_numbers(self.writers_prior)
        return "\n".join(
            (
                *self.scope_lines(),
                f"{len(self.hands)} hand{'s' * (len(self.hands) != 1)} in {words} words on {len(self.pages)} "
                f"page{'s' * (len(self.pages) != 1)}: {counts}; {changes} "
                f"change{'s' * (changes != 1)} of hand",
                f"  prior of 1 to {len(self.prior)} hands on a page: {prior}",
                *([f"  probability of so many writers: {found}"] * bool(found)),
                f"  prior that one person wrote two given pages: {self.same_prior:.2g}"
                + f"; of so many writers, before the pages are seen: {before}" * bool(before),
                *(
                    (
                        f"  one writer: {self.propositions.one_writer}",
                        f"  two writers: {self.propositions.two_writers}",
                    )
                    if self.propositions and self.links
                    else ()
                ),
                f"  population: {self.population}",
                *(f"  warning: {warning}" for warning in self.warnings),
            )
        )

    __repr__ = __str__


def likely_numbers(chances: Sequence[float]) -> str:
    """Numbers of writers from half a percent on, each with its probability."""
    return ", ".join(f"{number}: {share:.2f}" for number, share in enumerate(chances, 1) if share >= 0.005)
