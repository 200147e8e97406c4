"""Rasterises PDF pages, one at a time."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pypdfium2 as pdfium

from handshift.core.errors import PageError
from handshift.page.raster import Picture
from handshift.page.size_limits import MIN_SIDE, TOO_MUCH_MEMORY, check_size

RENDER_DPI = 200
POINTS_PER_INCH = 72
_PDFIUM = Lock()  # the library is not safe to call from two threads


class PdfPages:
    """The pages of a PDF.

    Args:
        content: The whole file.
        path: Named in errors.

    Raises:
        PageError: The PDF is damaged, encrypted or has no pages.
    """

    def __init__(self, content: bytes, path: Path) -> None:
        self._path = path
        with _PDFIUM:
            self._document = _open(content, path)
            self._count = len(self._document)
        if not self._count:
            self.close()
            raise PageError(path, "a PDF without pages; export it again")

    def __len__(self) -> int:
        return self._count

    def picture(self, number: int) -> Picture:
        """Render one page, counted from 0, at 200 dpi; its size is checked before a pixel is rendered.

        Raises:
            PageError: The page is damaged, too large or too small. Other pages can still be rendered.
        """
        with _PDFIUM:
            return _render(self._document, number, self._path)

    def close(self) -> None:
        """Release the document."""
        with _PDFIUM:
            self._document.close()


def _open(content: bytes, path: Path) -> Any:
    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.raw.FPDF_ERR_PASSWORD:
            raise PageError(path, "the PDF is encrypted; save a copy without a password") from error
        raise PageError(path, f"the PDF is damaged or has no pages ({error}); export it again") from error


def _render(document: Any, number: int, path: Path) -> Picture:
    try:
        page = document[number]
        scale = RENDER_DPI / POINTS_PER_INCH
        width, height = page.get_size()
        check_size(width * scale, height * scale, path, number)
        # A small page may hold a huge picture, which the renderer would unpack whole.
        for picture in page.get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE]):
            width, height = picture.get_px_size()
            check_size(max(width, MIN_SIDE), max(height, MIN_SIDE), path, number)
        pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()
        image = np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels[:, :, :3].copy()
    except PageError:
        raise
    except MemoryError as error:
        raise PageError(path, TOO_MUCH_MEMORY) from error
    except Exception as error:  # pdfium reports damage in more ways than by its own error
        raise PageError(
            path, f"page {number + 1} of the PDF is damaged ({error}); export it again"
        ) from error
    return Picture(image, float(RENDER_DPI))
