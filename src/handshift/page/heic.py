"""HEIC, the format of phones' photos, read through the extra `heic`."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import ImageFile

_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1"})
"""Major brands of ISO 23008-12 for single pictures coded as HEVC; AVIF has brands of its own."""


class MissingExtraError(Exception):
    """The file is sound, but the install lacks the library that decodes it."""


def is_heic(content: bytes) -> bool:
    """Whether a file begins as HEIC does."""
    return content[4:8] == b"ftyp" and content[8:12] in _BRANDS


def open_heic(stream: BytesIO) -> ImageFile.ImageFile:
    """Read the header; libheif turns the photo upright and drops its EXIF orientation.

    Raises:
        MissingExtraError: pillow-heif is not installed.
    """
    try:
        from pillow_heif import HeifImageFile
    except ModuleNotFoundError as error:
        raise MissingExtraError("HEIC photos need pillow-heif: pip install 'handshift[heic]'") from error
    file: ImageFile.ImageFile = HeifImageFile(stream)  # type: ignore[no-untyped-call]
    return file
