"""The loop over the pages of a file: each is decoded, segmented and processed, or becomes an error."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from handshift.core.errors import BlankPageError, HandshiftError, NoWritingError, PageError
from handshift.page.decode_worker import isolated_pages, isolated_segmentation
from handshift.page.external_segmentation import ExternalSegmentation
from handshift.page.find_scans import find_scans
from handshift.page.find_view import segment_view
from handshift.page.scan import Scan
from handshift.page.segment import segment
from handshift.page.view import WHOLE_SCAN, View
from handshift.page.word import Page
from handshift.page.word_kind import WordKind

Paths = Path | str | Iterable[Path | str]
"""A file, a folder, a pattern, or several of them."""

NO_PAGE = "no page was given; name a scan, a PDF or a folder of them"

Result = TypeVar("Result")


def read_pages(path: Path | str) -> Iterator[Page | PageError]:
    """Yield every page of one file with its words, or in its place the error that says why it has none.

    A PAGE-XML or ALTO file beside the scan is used as its segmentation.
    """
    return process_pages(path, lambda page: page)


def process_pages(
    path: Path | str, work: Callable[[Page], Result], first: int = 0
) -> Iterator[Result | PageError]:
    """Apply `work` to every page of one file; as many results or errors come out as pages went in.

    An exception on one page, foreseen or not, becomes the `PageError` of that page and does not stop the
    pages after it.

    Args:
        path: An image, a multi-page TIFF or a PDF.
        work: Called with each page that could be read.
        first: The page to start with, from 0.

    Yields:
        What `work` returned, or a `PageError` with the page's number and the file's SHA-256.
    """
    for scan in isolated_pages(path, first):
        yield scan if isinstance(scan, PageError) else _of_scan(scan, work)


def segment_scan(scan: Scan, given: ExternalSegmentation | None = None, view: View | None = None) -> Page:
    """Find the sheet and the words of a scan.

    Args:
        scan: The decoded page.
        given: A segmentation from outside; without one, words are found in the image.
        view: How the scan is to be turned and straightened; found in the image where neither it nor `given`
            is there, whose boxes hold for the scan as it is.

    Returns:
        The page with its words in reading order.
    """
    height, width = scan.image.shape[:2]
    if given or view:
        boxes = given.fitted_to(width, height, scan.dpi) if given else None
        view = view or WHOLE_SCAN
        image = view.apply(scan.image)
        found = segment(image, boxes)
    else:
        view, image, found = segment_view(scan.image)
    return Page(
        image,
        found.words,
        scan.source,
        scan.sha256,
        scan.number,
        found.letter_size,
        found.sheet_width,
        found.column_width,
        view,
        scan.synthetic,
        scan.dpi if view.sheet is None else None,
    )


def require_writing(page: Page, found: str) -> None:
    """Refuse a page without handwriting, saying what it has instead.

    Raises:
        BlankPageError: There is no mark on the page.
        NoWritingError: There are marks, but none of them is handwriting.
    """
    if not page.words:
        raise BlankPageError(page.source, f"{found}; the page seems to be blank")
    kinds = Counter(word.kind.value for word in page.words)
    if not kinds[WordKind.WRITING]:
        others = ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common())
        raise NoWritingError(page.source, f"{found}; there is no handwriting to examine, only {others}")


def existing_scans(paths: Paths) -> list[Path]:
    """Expand files, folders and patterns into a list of files.

    Raises:
        PageError: A path leads nowhere.
        HandshiftError: No path was given.
    """
    found = find_scans([paths] if isinstance(paths, Path | str) else paths)
    if found.errors:
        raise found.errors[0]
    if not found.scans:
        raise HandshiftError(NO_PAGE)
    return found.scans


def _of_scan(scan: Scan, work: Callable[[Page], Result]) -> Result | PageError:
    def whole() -> Result:
        return work(segment_scan(scan, isolated_segmentation(scan.source, scan.number)))

    return attempt(whole, scan.source, scan.number, scan.sha256)


def attempt(
    work: Callable[[], Result], source: Path, number: int = 0, sha256: str | None = None
) -> Result | PageError:
    """Do what is done to one page; an exception, foreseen or not, becomes the `PageError` of that page."""
    try:
        return work()
    except ModuleNotFoundError:  # the install lacks a library; that is no fault of the page
        raise
    except Exception as error:
        kinds = (BlankPageError, NoWritingError)
        kind = next((kind for kind in kinds if isinstance(error, kind)), PageError)
        failed = kind(source, _problem(error, source), number=number, sha256=sha256)
        failed.__cause__ = _without_frames(error)
        return failed


def _without_frames(error: Exception) -> Exception:
    """The error without the frames it passed, whose variables hold the page's pixels; their lines as a note.

    A run keeps its errors to the end: 1,800 blank pages of a PDF held 3.5 GB.
    """
    if not isinstance(error, HandshiftError):
        error.add_note("".join(traceback.format_tb(error.__traceback__)))
    seen: BaseException | None = error
    while seen is not None:
        seen.__traceback__ = None
        seen = seen.__cause__ or seen.__context__
    return error


def _problem(error: Exception, path: Path) -> str:
    if not isinstance(error, PageError):
        return f"handshift failed on this page ({type(error).__name__}: {error}); please report it"
    # A segmentation beside the scan has a path of its own, which the message then has to name.
    return error.problem if error.path == path else str(error)
