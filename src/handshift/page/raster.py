"""Decodes PNG, JPEG, JPEG 2000, TIFF, WebP, BMP and HEIC into upright RGB pixels; deep grey becomes 8 bits.

Pillow decodes all of them, HEIC through the extra `heic`. `cv2.imdecode` was measured against it on a 1.8
megapixel page: 8 against 13 ms as PNG, 4 against 13 as JPEG; a hundredth of a page's cost, and not worth a
second set of defects.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import (
    BmpImagePlugin,
    Image,
    ImageFile,
    ImageOps,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from handshift.core.errors import PageError
from handshift.page.heic import MissingExtraError, is_heic, open_heic
from handshift.page.jpeg2000_tiles import CodestreamError, TiledCodestream, halved, shrunk_mosaic
from handshift.page.size_limits import TOO_MUCH_MEMORY, check_size
from handshift.page.synthetic_mark import is_synthetic


def deep_grey_to_bytes(grey: NDArray[Any]) -> NDArray[np.uint8]:
    """Scale deep grey values so that the depth the scanner really used fills 0…255.

    Scanners store 10-, 12- or 14-bit greys in 16-bit files; dividing those by 257 would give a black page.
    White is therefore the smallest 2ᵏ − 1 ≥ the brightest pixel (k ≥ 8), or 1 for floats in 0…1.

    Args:
        grey: Height × width, integers of more than 8 bits or floats; NaN is shown as paper.

    Returns:
        Height × width in 8 bits.
    """
    if grey.dtype.kind == "f":
        paper = _finite_max(grey)  # what was not measured is shown as paper, not as ink
        grey = np.nan_to_num(grey, nan=paper, posinf=paper, neginf=0.0)
    grey = grey - min(grey.min(), 0)  # signed files: the darkest value is black
    brightest = float(grey.max())
    fraction = grey.dtype.kind == "f" and brightest <= 1.0
    white = 1.0 if fraction else 2.0 ** max(8, int(np.ceil(np.log2(brightest + 1.0)))) - 1.0
    scaled = grey.astype(np.float32)
    scaled *= np.float32(255.0 / white)
    return np.rint(scaled, out=scaled).clip(0, 255).astype(np.uint8)


def _finite_max(grey: NDArray[Any]) -> float:
    finite = grey[np.isfinite(grey)]
    return float(finite.max()) if finite.size else 1.0


# TIFF 6.0, section 8
BITS_PER_SAMPLE, PHOTOMETRIC, PLANAR_CONFIGURATION = 258, 262, 284
MINISWHITE, SEPARATE_PLANES = 0, 2
ORIENTATION = 0x0112  # of EXIF
PLAUSIBLE_DPI = 10  # many programs write 1 for "not known"
_LARGEST_JPEG2000 = 24_000_000
"""Pixels beyond which the next coarser level is decoded."""
_MOST_LEVELS = 5
_STRIP = 512
"""Rows that are converted at a time."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Decoded pixels and the resolution that the file states."""

    image: NDArray[np.uint8]
    dpi: float | None
    synthetic: bool = False
    """Whether the file says that a program drew the page."""


def raster_format(content: bytes) -> str | None:
    """Name of the format by its signature; None for formats that are not read."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return "TIFF"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "WEBP"
    if content.startswith((b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51")):  # as a file, and bare
        return "JPEG2000"
    if content.startswith(b"BM"):
        return "BMP"
    return "HEIC" if is_heic(content) else None


class RasterPages:
    """The pages of an image file; several only for TIFF.

    Args:
        content: The whole file.
        path: Named in errors.

    Raises:
        PageError: The header cannot be read.
    """

    def __init__(self, content: bytes, path: Path) -> None:
        self._content, self._path = content, path
        self._file: ImageFile.ImageFile | None = None
        with self._decoding(0):
            # A second frame is a page in a TIFF only: in a phone's JPEG it is a depth map, in WebP a film.
            self._count = self._frames() if raster_format(content) == "TIFF" else 1

    def __len__(self) -> int:
        return self._count

    def picture(self, number: int) -> Picture:
        """Decode one page, counted from 0; its size is checked before a pixel is decoded.

        Raises:
            PageError: The page is damaged, too large or too small. Other pages can still be decoded.
        """
        with self._decoding(number):
            file = self._file = self._file or _open(self._content)
            file.seek(number)
            if isinstance(file, Jpeg2KImagePlugin.Jpeg2KImageFile):
                return self._jpeg2000(file)
            check_size(*file.size, self._path, number)
            return Picture(_rgb(file, self._path), _dpi(file), is_synthetic(self._content))

    def _jpeg2000(self, file: Jpeg2KImagePlugin.Jpeg2KImageFile) -> Picture:
        """Decode a large one at half, a quarter, … of its size: its wavelets hold these sizes too.

        A sheet at 600 dpi has 35 megapixels, finer than words are read. Where the wavelets hold too few
        levels, tiles are decoded one after the other, each made small before the next.
        """
        wanted, tiled = _halvings(file.size), None
        held = wanted
        if wanted:
            with suppress(CodestreamError):
                tiled = TiledCodestream.read(self._content)
                held = min(wanted, tiled.levels)
        by_tiles = tiled is not None and held < wanted and tiled.several
        taken = wanted if by_tiles else held
        size = halved(file.size, taken)
        check_size(*size, self._path)
        synthetic, dpi = is_synthetic(self._content), _dpi(file)
        if tiled is not None and by_tiles:
            image = _grey_or_rgb(shrunk_mosaic(tiled, taken, _decoded))
        else:
            if held:
                file.reduce = held
                # Pillow rounds to the nearest where the standard rounds up; this size divides without rest.
                file._size = (size[0] << held, size[1] << held)
            image = _rgb(file, self._path)
        return Picture(image, dpi and dpi / 2**taken, synthetic)

    def close(self) -> None:
        """Release the decoder."""
        self._file = None

    def _frames(self) -> int:
        """Count the directories of a TIFF; where their chain breaks, the broken one counts as a page."""
        file = _open(self._content)
        count = 1
        try:
            while True:
                file.seek(count)
                count += 1
        except EOFError:
            return count
        except Exception:  # decoders report damage by whatever exception they run into
            return count + 1

    @contextmanager
    def _decoding(self, number: int) -> Iterator[None]:
        try:
            with _quiet():
                yield
        except PageError:
            raise
        except MissingExtraError as error:
            raise PageError(self._path, str(error)) from error
        except MemoryError as error:
            raise PageError(self._path, TOO_MUCH_MEMORY) from error
        except Image.DecompressionBombError as error:  # some plugins look before `check_size` can
            problem = f"too many pixels ({error}); scan it at a lower resolution"
            raise PageError(self._path, problem) from error
        except Exception as error:  # decoders report damage by whatever exception they run into
            self._file = None  # a decoder that failed is in no state to decode the next page
            where = f"page {number + 1} of " if number else ""
            problem = f"{where}the image is damaged or cut short ({error}); copy it again"
            raise PageError(self._path, problem) from error


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of odd tags; only the pixels matter here
        yield


def _open(content: bytes) -> ImageFile.ImageFile:
    """Read the header with the one decoder the signature asks for.

    `Image.open` would try some forty formats, Ghostscript among them, and has a size limit of its own below
    ours that can only be lifted for the whole process.
    """
    stream = BytesIO(content)
    match raster_format(content):
        case "PNG":
            return PngImagePlugin.PngImageFile(stream)
        case "JPEG":
            return JpegImagePlugin.JpegImageFile(stream)
        case "TIFF":
            return TiffImagePlugin.TiffImageFile(stream)
        case "JPEG2000":
            return Jpeg2KImagePlugin.Jpeg2KImageFile(stream)
        case "WEBP":
            return WebPImagePlugin.WebPImageFile(stream)
        case "HEIC":
            return open_heic(stream)
        case _:
            return BmpImagePlugin.BmpImageFile(stream)


def _halvings(size: tuple[int, int]) -> int:
    """How often a JPEG 2000 image is halved until it is small enough."""
    count = 0
    while prod(halved(size, count)) > _LARGEST_JPEG2000 and count < _MOST_LEVELS:
        count += 1
    return count


def _decoded(content: bytes) -> NDArray[Any]:
    """Pixels of one tile; deep grey as it is, since its white is known once all tiles are."""
    file = _open(content)
    file.load()
    return np.asarray(file) if file.mode[0] in "IF" else _on_white(file)


def _grey_or_rgb(image: NDArray[Any]) -> NDArray[np.uint8]:
    return image if image.ndim == 3 else np.repeat(deep_grey_to_bytes(image)[:, :, None], 3, axis=2)


def _rgb(file: ImageFile.ImageFile, path: Path) -> NDArray[np.uint8]:
    """Decode, rotate by EXIF, blend transparency with white: height × width × 3."""
    tags = getattr(file, "tag_v2", {})
    inverted = tags.get(PHOTOMETRIC) == MINISWHITE
    if tags.get(PLANAR_CONFIGURATION) == SEPARATE_PLANES and max(tags.get(BITS_PER_SAMPLE, (8,))) > 8:
        # Pillow would mix up the bytes without an error.
        raise PageError(path, "16-bit colours in separate planes are not read; save it with 8 bits")
    file.load()
    # exif_transpose copies the image even where there is nothing to rotate.
    image = file if file.getexif().get(ORIENTATION, 1) == 1 else ImageOps.exif_transpose(file)
    if image.mode[0] in "IF":
        grey = deep_grey_to_bytes(np.asarray(image))
        # Pillow inverts white-is-zero for 8 bits, not for 16.
        return np.repeat((255 - grey if inverted else grey)[:, :, None], 3, axis=2)
    return _on_white(image)


def _on_white(image: Image.Image) -> NDArray[np.uint8]:
    """RGB pixels, transparency blended with white; in strips, because copies of a large page add up."""
    transparent = image.has_transparency_data
    rgb = np.empty((image.height, image.width, 3), np.uint8)
    for top in range(0, image.height, _STRIP):
        strip = image.crop((0, top, image.width, min(top + _STRIP, image.height)))
        if transparent:
            strip = strip.convert("RGBA")
            paper = Image.new("RGB", strip.size, "white")
            paper.paste(strip, mask=strip.getchannel("A"))
            strip = paper
        rgb[top : top + _STRIP] = np.asarray(strip.convert("RGB"))
    return rgb


def _dpi(file: ImageFile.ImageFile) -> float | None:
    try:
        dpi = float(file.info["dpi"][0])
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return None
    return dpi if isfinite(dpi) and dpi >= PLAUSIBLE_DPI else None
