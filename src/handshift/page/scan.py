"""`Scan`: one upright RGB image for each page of a file, with the file's hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import PageError
from handshift.page.raster import Picture, decode_raster, raster_format

MAX_FILE_BYTES = 2 << 30
SCAN_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".pdf"})


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


def read_scans(path: Path | str) -> Iterator[Scan]:
    """Yield the pages of one file; whatever is wrong with it is a `PageError`, raised on iteration."""
    path = Path(path)
    content = _read_bytes(path)
    sha256 = hashlib.sha256(content).hexdigest()
    for number, picture in enumerate(_decode(content, path)):
        yield Scan(picture.image, path, sha256, number, picture.dpi)


def _decode(content: bytes, path: Path) -> Iterator[Picture]:
    # By content and not by suffix: archives are full of JPEGs called .tif.
    if b"%PDF-" in content[:1024]:  # the standard allows rubbish before the header
        from handshift.page.pdf import render_pdf  # costs 30 ms that a PNG need not pay

        return render_pdf(content, path)
    if raster_format(content) is not None:
        return decode_raster(content, path)
    if not content.strip(b"\0"):
        raise PageError(path, "the file is empty; copy or scan it again")
    raise PageError(path, "not an image of a kind handshift reads; give it PNG, JPEG, TIFF, WebP, BMP or PDF")


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
