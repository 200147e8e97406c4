"""The examination of files as work for an engine: each worker loads the model once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from handshift.attribution.verdict import Verdict
from handshift.core.errors import PageError
from handshift.embedding.crops.file_contents import FileContents
from handshift.page.decode_worker import IsolatedFile
from handshift.pipeline.examiner import Examiner

PAGES_AT_ONCE = 16
"""Pages of one PDF or TIFF that a worker examines before another may take the next ones."""
_OF_SEVERAL_PAGES = frozenset({".pdf", ".tif", ".tiff"})


@dataclass(frozen=True, slots=True)
class FilePart:
    """Consecutive pages of a file."""

    path: Path
    first: int = 0
    """From 0."""
    pages: int | None = None
    """How many; all from the first on if None."""
    last: bool = True
    """Whether the file ends with them."""

    def lost(self, problem: str) -> list[PageError]:
        """An error for each page, of a part that no worker could examine."""
        numbers = range(self.first, self.first + (self.pages or 1))
        return [PageError(self.path, problem, number=number) for number in numbers]


def file_parts(path: Path, first: int = 0) -> Iterator[FilePart]:
    """Divide a file into parts that workers can examine at the same time."""
    if path.suffix.lower() not in _OF_SEVERAL_PAGES:
        yield FilePart(path, first)
        return
    try:
        with IsolatedFile(path) as file:
            count = len(file)
    except PageError:  # the worker will find the same, and it becomes the file's outcome
        yield FilePart(path, first)
        return
    starts = range(first, max(count, first + 1), PAGES_AT_ONCE)
    for start in starts:
        last = start == starts[-1]
        yield FilePart(path, start, None if last else PAGES_AT_ONCE, last)


@dataclass(frozen=True, slots=True)
class ExamineWork:
    """Makes the work of one worker: load the model, then examine parts of files."""

    model: str | None = None
    read: bool = False
    """Whether words of pages by several hands are read by OCR."""
    force: bool = False
    pixels: bool = False
    """Whether verdicts are returned with the page's image, which only reports need."""
    cut: str | None = None
    """What one file holds: page or word; what the model was calibrated on without it."""

    def __call__(self) -> Callable[[FilePart], list[Verdict | PageError]]:
        """Load the model."""
        import cv2

        from handshift.page.ocr import Reader

        cv2.setNumThreads(1)  # there are as many workers as cores
        reader = Reader() if self.read else None
        cut = FileContents(self.cut) if self.cut else None
        examiner = Examiner(self.model, threads=1, reader=reader, force=self.force, cut=cut)

        def examine(part: FilePart) -> list[Verdict | PageError]:
            outcomes = islice(examiner.examine_pages(part.path, part.first), part.pages)
            if self.pixels:
                return list(outcomes)
            return [
                one if isinstance(one, PageError) else replace(one, page=one.page.without_pixels())
                for one in outcomes
            ]

        return examine
