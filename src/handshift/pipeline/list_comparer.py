"""Lists and signature sheets: every line, or every cropped file, compared with every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from handshift.attribution.entry_list import Entry, EntryList, compare_entries
from handshift.attribution.same_writer import SameWriter
from handshift.calibration.scope import Scope, ScopeReason
from handshift.calibration.scope_guard import OF_LENGTH
from handshift.core.arrays import Vectors
from handshift.core.errors import PageError
from handshift.models.shipped_models import find_model
from handshift.page.hand_labels import box_around
from handshift.page.word import Page
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.identical_files import identical_files
from handshift.pipeline.read_pages import process_pages

_SCRIPT = "script"


class Unit(StrEnum):
    """What one entry of a list is."""

    LINE = "line"
    """A line of writing or row of a table, as segmented or as a PAGE-XML or ALTO file gives it."""
    FILE = "file"
    """A page or cropped file."""


@dataclass(frozen=True, slots=True)
class EmbeddedEntries:
    """The entries of one page, the vectors of each, and the page's warnings."""

    entries: tuple[Entry, ...]
    vectors: tuple[Vectors, ...]
    warnings: tuple[str, ...]


class ListComparer:
    """Loads a model once and compares the entries of any number of lists.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        unit: What one entry is.
        dpi: Resolution of the pages, where their files do not say it or are wrong.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
    """

    def __init__(
        self,
        model: str | None = None,
        threads: int = 2,
        unit: Unit = Unit.LINE,
        dpi: float | None = None,
        force: bool = False,
    ) -> None:
        shipped = find_model(model)
        self.model = shipped.card
        self._unit, self._dpi = unit, dpi
        self._embedder = shipped.embedder(threads)
        self._guard = shipped.scope_guard(force)
        self._same_writer = SameWriter.of(shipped.covariances(), shipped.comparison())

    def read(self, path: Path | str) -> Iterator[EmbeddedEntries | PageError]:
        """Yield the entries of every page of one file, or the error that says why there are none."""
        return process_pages(path, self.read_page)

    def read_page(self, page: Page) -> EmbeddedEntries:
        """The entries of one page that have a legible word."""
        found = embed_page(self._embedder, page, self._guard, dpi=self._dpi)
        scope = found.scope.without(*OF_LENGTH)  # a ratio of entries is calibrated at their few words
        line = np.array([word.line if self._unit is Unit.LINE else 0 for word in found.words], np.int64)
        entries, vectors = [], []
        for number in np.unique(line):
            words = [word for word, own in zip(found.words, line, strict=True) if own == number]
            box = box_around([word.box for word in words])
            entries.append(Entry(page, int(number) + 1, box, len(words), scope))
            vectors.append(found.rows[line == number])
        # Of a page of entries, each perhaps by another person, a change of pen says nothing.
        warnings = found.warnings if self._unit is Unit.FILE else ()
        return EmbeddedEntries(tuple(entries), tuple(vectors), warnings)

    def compare(self, pages: Sequence[EmbeddedEntries], same_prior: float | None = None) -> EntryList:
        """Compare every two entries of these pages.

        Raises:
            HandshiftError: There are fewer than two entries.
        """
        entries = [entry for page in pages for entry in page.entries]
        return compare_entries(
            of_one_script(entries) if self._unit is Unit.FILE else entries,
            [vectors for page in pages for vectors in page.vectors],
            self._same_writer,
            name=self.model.id,
            same_prior=same_prior,
            warnings=[
                *(warning for page in pages for warning in page.warnings),
                *identical_files(page.entries[0].page for page in pages if page.entries),
            ],
        )


def of_one_script(entries: Sequence[Entry]) -> list[Entry]:
    """Cropped entries with one judgement of their script: that of the most of them.

    The test is made for pages: it called 2 of 47 single lines in Latin script another script, and 21 of 25 in
    Arabic. Entries of one list are in one script as a rule.
    """
    other = [_SCRIPT in {reason.code for reason in entry.scope.reasons} for entry in entries]
    if 2 * sum(other) <= len(other):
        return [replace(entry, scope=entry.scope.without(_SCRIPT)) for entry in entries]
    reason = Scope((ScopeReason(_SCRIPT, 0.0),))
    return [replace(entry, scope=entry.scope.joined(reason)) for entry in entries]
