"""Pages by one hand and by two, of held-out writers of several databases, for everyday conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from joined_pages import joined
from numpy.typing import NDArray

from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_cut import record_image
from handshift.page.find_words import Segmentation
from handshift.page.segment import segment

Image = NDArray[np.uint8]
LATIN = ("csafe", "copiste", "iam")
SHEET = (1500, 1240)
"""Height and width of A4 at 150 dpi, nearly; pictures of the writing alone are laid on such a sheet."""
FOREIGN = (0.2, 0.3, 0.5)
FEWEST_LINES = 4


@dataclass(frozen=True)
class Writing:
    """A page by one hand or by two, upright and clean, and further writing by both persons."""

    image: Image
    two_hands: bool
    writer: str
    own: Image
    """Another page of the writer where there is one, else the same."""
    other: Image
    """A page by another writer of the same database."""

    @property
    def second(self) -> Image:
        """Where an insertion is taken from: the other writer's page on a page by two hands."""
        return self.other if self.two_hands else self.own


@dataclass
class Writers:
    """Held-out writers of the databases, and the pages drawn from them."""

    data: Path
    splits: Path
    part: str
    seed: int = 2026
    _drawn: dict[tuple[int, bool, bool], Writing] = field(default_factory=dict)
    """The pages of one number, which all conditions share."""

    def latin(self, number: int, two_hands: bool, whole: bool = False) -> Writing:
        """One page; databases take turns.

        Args:
            number: Of the page; the same number gives the same writer and page for every condition.
            two_hands: Whether the lowest 20 to 50 % of the lines are by another writer.
            whole: Whether the page stays by one hand, because its condition brings the other hand in.
        """
        key = number, two_hands, whole
        if key not in self._drawn:
            if any(other[0] != number for other in self._drawn):
                self._drawn.clear()
            self._drawn[key] = self._latin(*key)
        return self._drawn[key]

    def _latin(self, number: int, two_hands: bool, whole: bool) -> Writing:
        name = LATIN[number % len(LATIN)]
        draw = np.random.default_rng([self.seed, number, two_hands])
        pages = self._pages(name)
        writers = sorted(pages)
        writer = writers[int(draw.integers(len(writers)))]
        stranger = writers[(writers.index(writer) + int(draw.integers(1, len(writers)))) % len(writers)]
        chosen = draw.permutation(len(pages[writer]))
        first = _sheet(pages[writer][int(chosen[0])])
        own = _sheet(pages[writer][int(chosen[1 % chosen.size])])
        other = _sheet(pages[stranger][int(draw.integers(len(pages[stranger])))])
        image = first
        if two_hands and not whole:
            image = joined(first, other, float(draw.choice(FOREIGN)))
        return Writing(image, two_hands, writer, own, other)

    def lines(self, name: str, number: int, two_hands: bool) -> Writing:
        """A page put together of line pictures, as of KHATT."""
        draw = np.random.default_rng([self.seed, number, two_hands, 1])
        pages = self._pages(name, Holds.LINE)
        writers = [writer for writer in sorted(pages) if len(pages[writer]) >= FEWEST_LINES]
        one, two = (writers[int(at)] for at in draw.choice(len(writers), 2, replace=False))
        # No line twice: letters with an exact copy would be print.
        lines = [record_image(record) for record in pages[one][:8]]
        others = [record_image(record) for record in pages[two][:3]]
        rows = lines if not two_hands else [*lines[:5], *others]
        image = _stacked(rows)
        return Writing(image, two_hands, one, image, image)

    def drawn(self, name: str, number: int, two_hands: bool) -> Writing:
        """A page drawn with one person's hand, or with two, as of the Korean fonts."""
        draw = np.random.default_rng([self.seed, number, two_hands, 2])
        pages = self._pages(name, Holds.FONT)
        writers = sorted(pages)
        one, two = (writers[int(at)] for at in draw.choice(len(writers), 2, replace=False))
        first, other = record_image(pages[one][0]), record_image(pages[two][0])
        image = joined(first, other, float(draw.choice(FOREIGN))) if two_hands else first
        return Writing(image, two_hands, one, first, other)

    def _pages(self, name: str, holds: Holds = Holds.PAGE) -> dict[str, list[Record]]:
        return _records(self.data, self.splits, self.part, name, holds)


@lru_cache(maxsize=16)
def _records(data: Path, splits: Path, part: str, name: str, holds: Holds) -> dict[str, list[Record]]:
    database = read_database(data, name)
    database = database.written_by(load_split(database, splits).parts[part])
    pages: dict[str, list[Record]] = {}
    for record in database.records:
        if record.holds is holds and record.prompt != "PHR":  # a phrase is no page
            pages.setdefault(record.writer, []).append(record)
    return pages


def _sheet(record: Record) -> Image:
    """The picture on a sheet with margins; a scan of a whole sheet as it is."""
    image = record_image(record)
    height, width = image.shape[:2]
    if width >= SHEET[1]:
        return image
    return on_paper(image, (max(SHEET[0], height + 160), max(SHEET[1], width + 120)))


def on_paper(image: Image, size: tuple[int, int]) -> Image:
    """Lay a picture of writing on a larger sheet of the same colour."""
    height, width = image.shape[:2]
    paper = np.percentile(image.reshape(-1, 3), 80, axis=0).astype(np.uint8)
    sheet = np.full((*size, 3), paper, np.uint8)
    y, x = min(120, size[0] - height), (size[1] - width) // 2
    sheet[y : y + height, x : x + width] = image
    return sheet


def _stacked(rows: list[Image]) -> Image:
    gap = 26
    height, width = sum(row.shape[0] + gap for row in rows), max(row.shape[1] for row in rows)
    page = np.full((height, width, 3), 255, np.uint8)
    top = gap // 2
    for row in rows:
        page[top : top + row.shape[0], width - row.shape[1] :] = row
        top += row.shape[0] + gap
    return on_paper(page, (max(SHEET[0], height + 160), max(SHEET[1], width + 120)))


_segmented: dict[int, tuple[Image, Segmentation]] = {}
"""By the identity of a picture, the last ones that were segmented; holding the picture keeps its identity."""


def words_of(image: Image) -> Segmentation:
    """The words of a clean upright page, for conditions that change some of them; remembered."""
    if id(image) not in _segmented:
        while len(_segmented) >= 8:
            _segmented.pop(next(iter(_segmented)))
        _segmented[id(image)] = image, segment(image)
    return _segmented[id(image)][1]
