"""Likelihood ratios by category of page: pen, database, or any other column of the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from handshift.bag.pages import PageRows
from handshift.calibration.page_calibration import PageCalibration
from handshift.core.arrays import Vectors
from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import MANIFEST
from handshift.corpus.manifest import read_rows
from handshift.validation.likelihood_ratios import SETTINGS, Score, SettingPerformance, measure_ratios

FEWEST_WRITERS = 5
"""Of a category that is measured: with fewer, an interval over writers says nothing."""
_SETTING = next(one for one in SETTINGS if one.words is None and len(one.shares) > 1)


@dataclass(frozen=True, slots=True)
class CategoryPerformance:
    """Whole pages of one category."""

    name: str
    writers: int
    pages: int
    ratios: SettingPerformance | None
    """None where too few people wrote such pages, or no two of them the same text."""


def category_of_pages(data: Path, column: str) -> dict[str, str]:
    """The cell of a column of the manifest for every page that has one, by the page's path.

    Raises:
        HandshiftError: There is no manifest, or it has no such column.
    """
    manifest = data / MANIFEST if data.is_dir() else data
    if not manifest.is_file():
        raise HandshiftError(f"{data}: has no {MANIFEST}, whose column {column!r} would name categories")
    rows = read_rows(manifest, ("path", column))
    return {PurePosixPath(row["path"]).as_posix(): row[column] for _, row in rows if row[column]}


def measure_categories(
    pages: Sequence[PageRows],
    vectors: Vectors,
    score: Score,
    calibration: PageCalibration,
    category: Mapping[str, str],
    each: int,
    seed: int,
) -> list[CategoryPerformance]:
    """Measure whole pages within each category, foreign words included; categories by name.

    Args:
        pages: Pages of known writers as rows of `vectors`.
        vectors: (words, dimensions).
        score: Of a document.
        calibration: Of the score.
        category: Name by page, see `category_of_pages`; pages without one are left out.
        each: Documents of every kind.
        seed: Of the draws.
    """
    found = []
    for name in sorted(set(category.values())):
        own = [page for page in pages if category.get(page.key) == name]
        writers = len({page.writer for page in own})
        measured = None
        if writers >= FEWEST_WRITERS:
            settings = measure_ratios(own, vectors, score, calibration, each, seed, (_SETTING,))
            measured = next(settings, None)
        if own:
            found.append(CategoryPerformance(name, writers, len(own), measured))
    return found
