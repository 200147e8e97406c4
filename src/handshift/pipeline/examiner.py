"""From a scan to a verdict: how strongly its words speak for more than one hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.added_words import added_ratio
from handshift.attribution.document import hand_name
from handshift.attribution.matching_words import matching_words
from handshift.attribution.page_hands import (
    PageHands,
    all_hypotheses,
    assign_words,
    hand_count_evidence,
    number_given,
)
from handshift.attribution.same_writer import SameWriter
from handshift.attribution.verdict import Verdict, WordFinding
from handshift.attribution.word_evidence import words_of_page
from handshift.calibration.long_pages import mean_ratio, stretches
from handshift.calibration.page_calibration import PageLr
from handshift.calibration.scope import Scope, ScopeReason
from handshift.core.arrays import Floats
from handshift.core.counted import counted
from handshift.core.errors import PageError
from handshift.detect.partition.partition_ratio import FEWEST_WORDS
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.embedder import Embedder, unit_rows
from handshift.models.shipped_models import find_model
from handshift.page.hand_labels import NO_HAND
from handshift.page.ocr import Reader
from handshift.page.word import Page
from handshift.pipeline.embed_page import MOST_WORDS, EmbeddedPage, embed_page
from handshift.pipeline.read_pages import process_pages, require_writing
from handshift.pipeline.word_documents import WordDocument, embed_word_document, process_documents
from handshift.report.findings_record import require_numbers

HINGE_WORDS = 2
_WORTH_A_LOOK, _HANGS = 0.5, 0.7
"""log10 LR from which on the two oddest words are left out for a trial, and the fall that is reported."""
_COPY = 1 - 1e-6
"""Cosine from which on two words are one picture. On a scanned page copies are found to be print before."""
_NOT_WRITING = WordFinding(NO_HAND, 0.0, 0.0)


class Examiner:
    """Loads a model once and examines any number of pages.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Batches of words embedded, and detectors asked, at the same time.
        reader: Reads the words of pages by several hands, so that equal words can be compared.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
        cut: What one file holds: a page, or a word, where a document is a folder of word pictures; what the
            model was calibrated on without it.
        embedder: The model's word network, where it is loaded already.
    """

    def __init__(
        self,
        model: str | None = None,
        threads: int = 2,
        reader: Reader | None = None,
        force: bool = False,
        cut: FileContents | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        shipped = find_model(model)
        self.model = shipped.card
        self._embedder = embedder or shipped.embedder(threads)
        self._detector = shipped.detector(threads)
        self._context = shipped.context()
        self._hands = shipped.hands()
        self._same_writer = (
            SameWriter.of(self._detector.covariances, shipped.comparison()) if shipped.compares else None
        )
        self._guard = shipped.scope_guard(force)
        self._reader = reader
        self.reads = cut or FileContents(self.model.reads)

    def examine(self, path: Path | str) -> Iterator[Verdict]:
        """Yield the verdict on every page of one file.

        Raises:
            PageError: On iteration, at the first page that cannot be examined.
        """
        for outcome in self.examine_pages(path):
            if isinstance(outcome, PageError):
                raise outcome
            yield outcome

    def examine_pages(self, path: Path | str, first: int = 0) -> Iterator[Verdict | PageError]:
        """Yield for every page of one file its verdict, or the error that says why there is none.

        Args:
            path: An image, a multi-page TIFF or a PDF; a folder of word pictures where those are read.
            first: The page to start with, from 0.
        """
        if self.reads is FileContents.PAGE:
            return process_pages(path, self.examine_page, first)
        return process_documents(Path(path), self.examine_words, first)

    def examine_words(self, document: WordDocument) -> Verdict:
        """Examine one document whose words are pictures of their own.

        Raises:
            PageError: It has too few or too many words, or a figure is not finite.
        """
        return self._weigh(embed_word_document(self._embedder, document, MOST_WORDS))

    def examine_page(self, page: Page) -> Verdict:
        """Examine one page whose words are known.

        Raises:
            BlankPageError: There is no word on the page.
            NoWritingError: There are marks, but none of them is handwriting.
            PageError: The page has too few or too many legible words, or a figure is not finite.
        """
        return self._weigh(embed_page(self._embedder, page, self._guard, MOST_WORDS))

    def _weigh(self, embedded: EmbeddedPage) -> Verdict:
        page, count = embedded.page, len(embedded.vectors)
        if count < FEWEST_WORDS:
            found = f"found {counted(count, 'legible word')}, needs at least {FEWEST_WORDS}"
            require_writing(page, found)
            raise PageError(page.source, found)
        if (distinct := _distinct(embedded.vectors)) < FEWEST_WORDS:
            found = f"found {count} legible words, {count - distinct} of them copies of another"
            raise PageError(page.source, f"{found}; needs at least {FEWEST_WORDS} that differ")
        lengths = _lengths(embedded)
        weighed = self._ratio(embedded.vectors, embedded.added)
        ratio = weighed.ratio
        covariances, settings = self._detector.covariances, self._hands.settings
        said = words_of_page(embedded.vectors, covariances, settings)
        readings = hand_count_evidence(all_hypotheses(said, covariances, settings), settings)
        scope = _of_stretches(embedded.scope, count, weighed.parts)
        scope = self._scope(_of_added(scope, embedded.added, weighed.of_added))
        log10_lr = scope.weight * ratio.log10_lr
        number = number_given(self._hands.posterior(readings.evidence), log10_lr)
        hands = assign_words(readings, number, lengths)
        findings = _findings(hands, embedded)
        scope = self._with_hinge(scope, embedded, hands, ratio.log10_lr)
        several = len({finding.hand for finding in findings} - {NO_HAND}) > 1
        shown = self._reader.read(page) if self._reader and several else page
        verdict = Verdict(
            page=shown,
            score=weighed.score,
            log10_lr=log10_lr,
            bounds=ratio.bounds,
            interval=scope.shrunk_interval(ratio.interval),
            reference=self._context.reference(count),
            number=tuple(map(float, number)),
            words=findings,
            propositions=self._context.propositions,
            model=self.model.id,
            similarity=(unit := unit_rows(embedded.vectors)) @ unit.T,
            compared=tuple(map(int, np.flatnonzero(embedded.legible))),
            alike=matching_words(shown.words, [finding.hand for finding in findings]),
            warnings=embedded.warnings,
            scope=scope,
            raw_log10_lr=ratio.log10_lr,
        )
        require_numbers(verdict)
        return verdict

    def _ratio(self, vectors: NDArray[np.float32], added: NDArray[np.bool_]) -> _Weighed:
        """Score and ratio of a page, which is divided into stretches where it is long.

        The score of several stretches is that of the one with the highest ratio. Where words were added to
        the text, half of the proposition of several hands is that another hand wrote just these.
        """
        parts = [vectors[part] for part in stretches(len(vectors), self._context.longest)]
        scores = [self._detector.score(part).score for part in parts]
        ratios = [self._context.page_lr(score, len(part)) for score, part in zip(scores, parts, strict=True)]
        highest = int(np.argmax([ratio.log10_lr for ratio in ratios]))
        ratio = ratios[0] if len(parts) == 1 else mean_ratio(ratios)
        of_added = added_ratio(vectors, added, self._same_writer) if self._same_writer else None
        ratio = mean_ratio([ratio, of_added]) if of_added else ratio
        return _Weighed(scores[highest], ratio, len(parts), of_added)

    def _with_hinge(self, scope: Scope, embedded: EmbeddedPage, hands: PageHands, log10_lr: float) -> Scope:
        """Say so where support for several hands hangs on a word or two: the page is scored without them."""
        count = len(embedded.vectors)
        if log10_lr < _WORTH_A_LOOK or count < FEWEST_WORDS + HINGE_WORDS or scope.withheld:
            return scope
        found: tuple[ScopeReason, ...] = ()
        oddest = np.argsort(-np.asarray(hands.foreign), kind="stable")
        for left_out in range(HINGE_WORDS, 0, -1):  # one word is named where it alone makes the difference
            odd = np.sort(oddest[:left_out])
            rest = np.delete(embedded.vectors, odd, axis=0), np.delete(embedded.added, odd)
            without = self._ratio(*rest).ratio.log10_lr
            if log10_lr - without < _HANGS:
                break
            numbers = ", ".join(str(number + 1) for number in np.flatnonzero(embedded.legible)[odd])
            found = (ScopeReason("hinge", 1.0, {"words": numbers, "ratio": round(without, 3)}),)
        return replace(scope, reasons=(*scope.reasons, *found))

    def _scope(self, found: Scope) -> Scope:
        """What was found, and that the model was calibrated on what is read otherwise, where that is so."""
        if self.reads is FileContents(self.model.reads):
            return found
        reason = "scanned-page" if self.reads is FileContents.PAGE else "word-pictures"
        return found.joined(Scope((ScopeReason(reason, 0.0),), self._guard.force))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What a page's words were given."""

    score: float
    ratio: PageLr
    parts: int
    """Stretches that it was divided into."""
    of_added: PageLr | None
    """That another hand wrote all words between the lines and in the margin."""


def _lengths(embedded: EmbeddedPage) -> Floats:
    """(legible words,) how long each is; where a page holds pieces of stamps, it has more marks than text."""
    return np.array([word.ink.shape[1] for word in embedded.words], np.float64)


def _distinct(vectors: NDArray[np.float32]) -> int:
    """How many words are no copy of one before them."""
    length = np.linalg.norm(vectors, axis=1)
    copies = vectors @ vectors.T > _COPY * np.outer(length, length)
    return int((~np.tril(copies, -1).any(axis=1)).sum())


def _of_added(scope: Scope, added: NDArray[np.bool_], ratio: PageLr | None) -> Scope:
    """The guard's findings with what was found of the added words."""
    if ratio is None:
        return scope
    values: dict[str, float | str] = {"words": int(added.sum()), "ratio": round(ratio.log10_lr, 3)}
    return replace(scope, reasons=(*scope.reasons, ScopeReason("added", 1.0, values)))


def _of_stretches(scope: Scope, words: int, parts: int) -> Scope:
    """The guard's findings for a page that was examined in stretches: its length is no reason to shrink."""
    if parts == 1:
        return scope
    reasons = [reason for reason in scope.reasons if reason.code != "many-words"]
    return replace(scope, reasons=(*reasons, ScopeReason("stretches", 1.0, {"words": words, "parts": parts})))


def _findings(hands: PageHands, embedded: EmbeddedPage) -> tuple[WordFinding, ...]:
    """One finding for every word of the page; marks that are not writing have no hand."""
    words = [
        WordFinding(hand_name(int(hand)), float(foreign), float(np.clip(share[hand], 0.0, 1.0)))
        for hand, foreign, share in zip(hands.ascribed, hands.foreign, hands.share, strict=True)
    ]
    rows = zip(embedded.nearest_legible, embedded.writing, strict=True)
    return tuple(words[row] if writing else _NOT_WRITING for row, writing in rows)
