"""Verification: each side is examined first, then both are compared as wholes and hand by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from handshift.attribution.comparison import Comparison, HandComparison, KnownSamples
from handshift.attribution.document import Document
from handshift.attribution.same_writer import GroupRatios, Sums
from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.calibration.scope import Scope
from handshift.core.arrays import Vectors
from handshift.core.counted import counted
from handshift.core.errors import PageError
from handshift.embedding.prototypes import Prototypes
from handshift.page.ocr import Reader
from handshift.page.restore_pixels import with_pixels
from handshift.pipeline.comparer import Comparer
from handshift.pipeline.embed_files import Embedded, concatenate_embedded, embedded
from handshift.pipeline.hand_finder import HandFinder, UnlinkedPage
from handshift.pipeline.read_pages import Paths, existing_scans
from handshift.report.comparison_view import MOST_PAGES

DRAWS = 400
"""Bootstrap samples of the words; the ends of the interval then vary by about a tenth of its width."""
FEWEST_OF_HAND = 8
"""Words that a hand needs to be compared by itself: with fewer, the bounds of the ratio are close to 1."""
_SEED = 0


@dataclass(frozen=True, slots=True)
class _Side:
    name: str
    pages: tuple[UnlinkedPage, ...]
    document: Document
    words: Embedded

    def of_hand(self, hand: str) -> list[Vectors]:
        """Vectors of the hand's words on each page."""
        return [
            page.embedded.rows[np.array(handed.hands)[page.embedded.legible] == hand]
            for page, handed in zip(self.pages, self.document.pages, strict=True)
        ]


class Verifier:
    """Loads a model once and verifies any number of pairs.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
        reader: Reads the words, so that equal ones can be laid over each other.
        pictures: Whether a report will show the pages.
        dpi: Resolution of the pages, where their files do not say it or are wrong.
    """

    def __init__(
        self,
        model: str | None = None,
        threads: int = 2,
        force: bool = False,
        reader: Reader | None = None,
        pictures: bool = False,
        dpi: float | None = None,
    ) -> None:
        self._reader, self._pictures = reader, pictures or reader is not None
        self.comparer = Comparer(model, threads, force, dpi)
        self._model = self.comparer.same_writer
        self._finder = HandFinder(model, threads, embedder=self.comparer.embedder, force=force, dpi=dpi)

    def verify(self, a: Paths, b: Paths, *, known: bool = False) -> Verification:
        """Compare two sides, each taken as one person's: a page, a folder or several.

        Each side is examined first. Several hands on a side are a warning, and its hands are then compared
        one by one with those of the other side. Every page of a side is a session of its own, so that the
        variation among a person's pages counts.

        Args:
            a: The first side; the questioned pages, where the second side is known.
            b: The second side.
            known: Whether the second side holds known samples of one person: their variation among
                themselves, and how often another person would agree as well, are then reported.

        Raises:
            PageError: A page cannot be read, or a side has no legible word.
            HandshiftError: No path was given.
        """
        one, two = self._side(a), self._side(b)
        comparison = self.comparer.compare(one.words, two.words)
        several = [
            f"{side.name}: {_hands(side.document.hands)}; compared as if one person wrote all of it, "
            "and hand by hand"
            for side in (one, two)
            if len(side.document.hands) > 1
        ]
        comparison = replace(
            comparison,
            interval=self._interval(one, two, comparison),
            by_hand=tuple(self._by_hand(one, two, comparison.scope)) if several else (),
            known=self._known(one, two) if known else None,
            warnings=(*comparison.warnings, *several),
        )
        return Verification(comparison, (self._compared(one, two), self._compared(two, one)))

    def _known(self, questioned: _Side, person: _Side) -> KnownSamples:
        found = self._ratios(questioned.words.sets, person.words.sets)
        sized = bool(found.size[0])  # known on both sides
        rate = float(self._model.calibration.stranger_rate(found.weight, found.words, sized)[0])
        return KnownSamples(person.name, len(person.pages), tuple(self._own_variation(person)), rate)

    def _side(self, paths: Paths) -> _Side:
        scans = existing_scans(paths)
        outcomes = [page for path in scans for page in self._finder.find_pages(path)]
        errors = [page for page in outcomes if isinstance(page, PageError)]
        pages = [page for page in outcomes if not isinstance(page, PageError)]
        if not pages:
            raise errors[0]
        words = concatenate_embedded([embedded(page.embedded) for page in pages])
        warnings = tuple(f"not compared: {error}" for error in errors)
        words = replace(words, warnings=(*words.warnings, *warnings))
        name = str(paths) if isinstance(paths, Path | str) else ", ".join(map(str, scans))
        return _Side(name, tuple(pages), self._finder.link(pages), words)

    def _interval(self, one: _Side, two: _Side, comparison: Comparison) -> tuple[float, float]:
        """95 % bootstrap interval of log10 LR over the words of both sides, drawn page by page.

        The draws are shifted so that their mean is the estimate: words drawn with replacement repeat, which
        makes the means of both sides noisier and every draw's ratio smaller on average.
        """
        rng = np.random.default_rng(_SEED)
        sides = []
        for side in (one, two):
            drawn = np.zeros(1)  # (draws, statistics), summed over the pages
            for page in side.words.sets:
                count = len(page)
                share = rng.multinomial(count, np.full(count, 1 / count), size=DRAWS) / count
                means = Prototypes(share @ page.astype(np.float64), np.full(DRAWS, float(count)))
                drawn = drawn + self._model.sums(means).rows
            sides.append(Sums(drawn))
        weight = self._model.ratios(*sides).weight
        estimate = self._ratios(one.words.sets, two.words.sets).weight[0]
        low, high = np.percentile(weight - weight.mean() + estimate, (2.5, 97.5))
        clipped = np.clip([low, high], *comparison.bounds)
        low, high = (float(comparison.scope.weight * end) for end in clipped)
        return low, high

    def _ratios(self, one: Sequence[Vectors], two: Sequence[Vectors]) -> GroupRatios:
        return self._model.ratios(self._model.side(one), self._model.side(two))

    def _by_hand(self, one: _Side, two: _Side, scope: Scope) -> Iterator[HandComparison]:
        for a, b in product(one.document.hands, two.document.hands):
            sets = one.of_hand(a), two.of_hand(b)
            words = [sum(map(len, pages)) for pages in sets]
            if min(words) >= FEWEST_OF_HAND:
                log10_lr = self._ratios(*sets).log10_lr[0]
                yield HandComparison((a, b), (words[0], words[1]), scope.weight * float(log10_lr))

    def _own_variation(self, side: _Side) -> Iterator[float]:
        """Each page of a person against all others of that person."""
        pages = side.words.sets
        if len(pages) > 1:
            for place, page in enumerate(pages):
                rest = [*pages[:place], *pages[place + 1 :]]
                yield float(self._ratios([page], rest).log10_lr[0])

    def _compared(self, side: _Side, other: _Side) -> ComparedSide:
        """Leave-one-out influence of every legible word of a side."""
        against = self._model.side(other.words.sets)
        whole = self._model.side(side.words.sets)
        score = self._model.ratios(against, whole).score
        pages = []
        for number, page in enumerate(side.pages):
            vectors = page.embedded.vectors.astype(np.float64)
            on_page = np.full(len(page.embedded.legible), np.nan)
            count = len(vectors)
            influence = np.zeros(count)
            if count > 1:
                mean = vectors.mean(axis=0)
                without = Prototypes((count * mean - vectors) / (count - 1), np.full(count, count - 1.0))
                own = self._model.sums(Prototypes(mean[None], np.array([float(count)])))
                changed = Sums(whole.rows - own.rows + self._model.sums(without).rows)
                influence = score - self._model.ratios(against, changed).score
            on_page[page.embedded.legible] = influence
            shown = page.embedded.page
            if self._pictures and number < MOST_PAGES:
                shown = with_pixels(shown)
                shown = self._reader.read(shown) if self._reader else shown
            pages.append(ComparedPage(shown, on_page))
        return ComparedSide(side.name, tuple(pages), side.document.hands)


def _hands(hands: dict[str, int]) -> str:
    words = ", ".join(f"{hand} {counted(count, 'word')}" for hand, count in hands.items())
    return f"{counted(len(hands), 'hand')} found ({words})"
