"""`Scan`: one upright RGB image for each page of a file, with the file's hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.counted import counted
from handshift.core.errors import PageError
from handshift.page.raster import Picture, RasterPages, raster_format

MAX_FILE_BYTES = 2 << 30
SCAN_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".pdf", ".jp2", ".jpx", ".j2k"}
    | {".heic", ".heif"}
)


@dataclass(frozen=True, slots=True)
class Scan:
    """One scanned page."""

    image: NDArray[np.uint8] = field(repr=False)
    """Upright RGB pixels, height × width × 3."""
    source: Path
    sha256: str
    """Of the whole file, so that a report can be checked against it."""
    number: int = 0
    """Page within a PDF or multi-page TIFF, from 0."""
    dpi: float | None = None
    """Pixels per inch where the file says so."""
    synthetic: bool = False
    """Whether the file says that a program drew the page."""


class ScanFile:
    """An open file of scans: the one place where files are decoded.

    Use it as a context manager. ``len(file)`` is the number of pages; each page is decoded on its own, so one
    that is damaged does not stop the others.

    Args:
        path: An image, a multi-page TIFF or a PDF.

    Raises:
        PageError: The file cannot be read, or is of no kind that handshift decodes.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.sha256: str | None = None
        try:
            content = _read_bytes(self.path)
            self.sha256 = hashlib.sha256(content).hexdigest()
            self._pages = _open(content, self.path)
        except PageError as error:
            # A failure too can be traced to its input.
            error.sha256 = self.sha256 or _digest(self.path)
            raise

    def __enter__(self) -> ScanFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._pages.close()

    def __len__(self) -> int:
        return len(self._pages)

    def scan(self, number: int) -> Scan:
        """Decode one page.

        Args:
            number: The page, from 0.

        Raises:
            PageError: There is no such page, or it is damaged, too large or too small.
        """
        try:
            if not 0 <= number < len(self):
                raise PageError(self.path, f"has {counted(len(self), 'page')}, none numbered {number + 1}")
            picture = self._pages.picture(number)
        except PageError as error:
            error.number, error.sha256 = number, self.sha256
            raise
        assert self.sha256 is not None
        return Scan(picture.image, self.path, self.sha256, number, picture.dpi, picture.synthetic)


def scan_pages(path: Path | str) -> Iterator[Scan | PageError]:
    """Yield every page of one file, or in its place the error that says why it cannot be read.

    A file that cannot be opened at all is one error.
    """
    try:
        with ScanFile(path) as file:
            for number in range(len(file)):
                yield _attempt(file, number)
    except PageError as error:
        yield error


def read_scans(path: Path | str) -> Iterator[Scan]:
    """Yield the pages of one file.

    Raises:
        PageError: On iteration, at the first page that cannot be read.
    """
    for scan in scan_pages(path):
        if isinstance(scan, PageError):
            raise scan
        yield scan


def _attempt(file: ScanFile, number: int) -> Scan | PageError:
    try:
        return file.scan(number)
    except PageError as error:
        return error


class _Pages(Protocol):
    """What a decoder offers."""

    def __len__(self) -> int: ...

    def picture(self, number: int) -> Picture: ...

    def close(self) -> None: ...


def _open(content: bytes, path: Path) -> _Pages:
    # By content and not by suffix: archives are full of JPEGs called .tif.
    if b"%PDF-" in content[:1024]:  # the standard allows rubbish before the header
        from handshift.page.pdf import PdfPages  # costs 30 ms that a PNG need not pay

        return PdfPages(content, path)
    if raster_format(content) is not None:
        return RasterPages(content, path)
    if not content.strip(b"\0"):
        raise PageError(path, "the file is empty; copy or scan it again")
    kinds = "PNG, JPEG, JPEG 2000, TIFF, WebP, BMP, HEIC or PDF"
    raise PageError(path, f"not an image of a kind handshift reads; give it {kinds}")


def _read_bytes(path: Path) -> bytes:
    """Read the file once: what is hashed is what is decoded."""
    try:
        if path.is_dir():
            raise PageError(path, "a folder where a file was wanted")
        if not path.exists():
            raise PageError(path, "no such file; check the spelling")
        if not path.is_file():  # reading a pipe or a device might never end
            raise PageError(path, "not an ordinary file")
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            raise PageError(path, f"{size / 2**30:.1f} GiB is more than the 2 GiB handshift opens; split it")
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise PageError(path, f"cannot be read ({reason}); check its permissions and the disk") from error


def _digest(path: Path) -> str | None:
    """Hash a file that was not read into memory, if it can be read at all."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
