"""Calibration data: word vectors of writers that the network was not trained on, in folds of writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from handshift.bag.pages import PageRows, WordTable, pages_of
from handshift.calibration import CalibrationError
from handshift.calibration.labelled_scores import FEWEST_WRITERS
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.layouts import is_drawn
from handshift.corpus.databases.record import database_of
from handshift.detect.plda import Plda, fit_plda

DIMENSIONS = 64
SHRINKAGE = 0.5
FOLDS = 5


@dataclass(frozen=True)
class CalibrationData:
    """Words, their vectors and writers, and the population that these represent."""

    table: WordTable
    vectors: Vectors
    """(words, dimensions), row for row with the table."""
    writers: Sequence[str]
    model: str
    """Id of the model being calibrated."""
    population: str
    """The population in a sentence, as verdicts state it."""
    seed: int = 2026
    dimensions: int = DIMENSIONS
    """Projected dimensions of the PLDA."""
    sizes: Floats | None = None
    """(words,) ln of each word's size in mm, NaN where unknown; None where it is of no word."""

    @property
    def scanned(self) -> CalibrationData:
        """Without writers whose pages are drawn, unless all are.

        Drawn pages show a detector another pen in the same hand; how people and days vary they do not show.
        """
        kept = [writer for writer in self.writers if not is_drawn(database_of(writer))]
        return replace(self, writers=kept or self.writers)

    def pages(self, writers: Sequence[str] | None = None, fewest: int = 8) -> list[PageRows]:
        """Pages of at least `fewest` words by these writers, or by all."""
        return pages_of(self.table, self.writers if writers is None else writers, fewest)

    def covariances(self, writers: Sequence[str] | None = None) -> Plda:
        """PLDA of these writers' words, or of all; those whose pages are drawn take no part."""
        own = self if writers is None else replace(self, writers=writers)
        return plda_of(self.table, self.vectors, own.scanned.pages(), self.dimensions)

    def folds(self) -> Iterator[tuple[list[str], list[str]]]:
        """Five folds: (fitted writers, held-out writers).

        Raises:
            CalibrationError: there are fewer than 10 writers.
        """
        if len(self.writers) < FEWEST_WRITERS:
            raise CalibrationError(
                f"calibration needs pages by at least {FEWEST_WRITERS} writers, got {len(self.writers)}"
            )
        order = np.random.default_rng(self.seed).permutation(len(self.writers))
        for fold in range(FOLDS):
            held_out = {int(index) for index in order[fold::FOLDS]}
            yield (
                [writer for index, writer in enumerate(self.writers) if index not in held_out],
                [writer for index, writer in enumerate(self.writers) if index in held_out],
            )


def plda_of(
    table: WordTable, vectors: Vectors, pages: Sequence[PageRows], dimensions: int = DIMENSIONS
) -> Plda:
    """PLDA of these pages' words.

    Raises:
        HandshiftError: the pages are by fewer than two writers.
    """
    if len({page.writer for page in pages}) < 2:
        raise HandshiftError("PLDA needs pages of eight words or more by at least two writers")
    rows = np.concatenate([page.rows for page in pages])
    database = np.repeat([page.database for page in pages], [page.rows.size for page in pages])
    return fit_plda(vectors[rows], table.writer[rows], table.session[rows], dimensions, SHRINKAGE, database)
