"""Verification: each side is examined first, then both are compared as wholes and hand by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from handshift.attribution.comparison import Comparison, HandComparison
from handshift.attribution.document import Document
from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.calibration.pair_calibration import words_of_pair
from handshift.calibration.scope import Scope
from handshift.core.arrays import Floats
from handshift.core.counted import counted
from handshift.core.errors import PageError
from handshift.detect.plda import log_ratios
from handshift.embedding.prototypes import Prototypes, prototypes
from handshift.pipeline.comparer import Comparer
from handshift.pipeline.embed_files import Embedded, concatenate_embedded, embedded
from handshift.pipeline.hand_finder import HandFinder, UnlinkedPage
from handshift.pipeline.read_pages import Paths, existing_scans

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

    def of_hand(self, hand: str) -> Floats:
        """(words of the hand, dimensions)"""
        chosen = [
            page.embedded.vectors[np.array(handed.hands)[page.embedded.legible] == hand]
            for page, handed in zip(self.pages, self.document.pages, strict=True)
        ]
        return np.concatenate(chosen)


class Verifier:
    """Loads a model once and verifies any number of pairs.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
    """

    def __init__(self, model: str | None = None, threads: int = 2, force: bool = False) -> None:
        self.comparer = Comparer(model, threads, force)
        self._finder = HandFinder(model, threads, embedder=self.comparer.embedder, force=force)

    def verify(self, a: Paths, b: Paths) -> Verification:
        """Compare two sides, each taken as one person's: a page, a folder or several.

        Each side is examined first. Several hands on a side are a warning, and its hands are then compared
        one by one with those of the other side.

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
            warnings=(*comparison.warnings, *several),
        )
        return Verification(comparison, (self._compared(one, two), self._compared(two, one)))

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

    def _score(self, one: Prototypes, two: Prototypes) -> tuple[Floats, Floats]:
        """(pairs,) natural log score and calibrated log10 LR."""
        score = log_ratios(one, two, self.comparer.covariances)
        return score, self.comparer.context.log10_lr(score, words_of_pair(one.counts, two.counts))

    def _interval(self, one: _Side, two: _Side, comparison: Comparison) -> tuple[float, float]:
        """95 % bootstrap interval of log10 LR over the words of both sides.

        The draws are shifted so that their mean is the estimate: words drawn with replacement repeat, which
        makes the means of both sides noisier and every draw's ratio smaller on average.
        """
        rng = np.random.default_rng(_SEED)
        sides = []
        for vectors in (one.words.weighed, two.words.weighed):
            count = len(vectors)
            weights = rng.multinomial(count, np.full(count, 1 / count), size=DRAWS) / count  # (draws, words)
            sides.append(Prototypes(weights @ vectors.astype(np.float64), np.full(DRAWS, float(count))))
        score = log_ratios(sides[0], sides[1], self.comparer.covariances)
        size = float(words_of_pair(sides[0].counts[:1], sides[1].counts[:1])[0])
        ends = np.percentile(score - score.mean() + comparison.score, (2.5, 97.5))
        weight = comparison.scope.weight
        low, high = (weight * float(self.comparer.context.log10_lr(end, size)) for end in ends)
        return low, high

    def _by_hand(self, one: _Side, two: _Side, scope: Scope) -> Iterator[HandComparison]:
        for a, b in product(one.document.hands, two.document.hands):
            sets = [one.of_hand(a), two.of_hand(b)]
            if min(map(len, sets)) < FEWEST_OF_HAND:
                continue
            both = prototypes(sets)
            _, log10_lr = self._score(both[:1], both[1:])
            words = (len(sets[0]), len(sets[1]))
            yield HandComparison((a, b), words, scope.weight * float(log10_lr[0]))

    def _compared(self, side: _Side, other: _Side) -> ComparedSide:
        """Leave-one-out influence of every legible word of a side."""
        vectors = side.words.weighed.astype(np.float64)
        count = len(vectors)
        whole, against = prototypes([vectors]), prototypes([other.words.weighed])
        score, _ = self._score(against, whole)
        influence = np.zeros(count)
        if count > 1:
            without = Prototypes((count * whole.means - vectors) / (count - 1), np.full(count, count - 1.0))
            influence = score - self._score(against, without)[0]
        pages, start = [], 0
        for page in side.pages:
            legible = page.embedded.legible
            on_page = np.full(len(legible), np.nan)
            on_page[legible] = influence[start : start + int(legible.sum())]
            start += int(legible.sum())
            pages.append(ComparedPage(page.embedded.page, on_page))
        return ComparedSide(side.name, tuple(pages), side.document.hands)


def _hands(hands: dict[str, int]) -> str:
    words = ", ".join(f"{hand} {counted(count, 'word')}" for hand, count in hands.items())
    return f"{counted(len(hands), 'hand')} found ({words})"
