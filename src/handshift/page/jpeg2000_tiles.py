"""`TiledCodestream`: the tiles of a JPEG 2000 image, each as an image of its own.

Tiles are coded independently (ISO/IEC 15444-1, annexes A and B). A codestream with the main header, the parts
of one tile, and the image area cut down to it is a valid image whose reference grid is unchanged: any decoder
reads that tile and nothing of the others. Pillow has no call for it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

_SOC, _SIZ, _COD, _SOT, _EOC = 0xFF4F, 0xFF51, 0xFF52, 0xFF90, 0xFFD9
_TLM, _PLM, _PPM = 0xFF55, 0xFF57, 0xFF60
_SIZES = struct.Struct(">8I")
"""Xsiz, Ysiz, XOsiz, YOsiz, XTsiz, YTsiz, XTOsiz, YTOsiz."""
_BEFORE_SIZES = 6
"""Bytes of SIZ before them: marker, length, capabilities."""
_SIGNATURE_BOX = b"\0\0\0\x0cjP  \r\n\x87\n"
_MOST_TILES = 65_535


class CodestreamError(ValueError):
    """Bytes that are no codestream whose tiles can be taken out."""


@dataclass(frozen=True, slots=True)
class Tile:
    """Where a tile lies in the image, in pixels of the reference grid from the image's corner."""

    number: int
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True)
class TiledCodestream:
    """The main header and where the parts of each tile are; use `read`."""

    sizes: tuple[int, ...]
    """The eight numbers of SIZ."""
    levels: int
    """Halvings that the wavelets hold, the least of the main header."""
    _content: bytes = field(repr=False)
    _boxes: tuple[bytes, bytes] = field(repr=False)
    """What a file has before the codestream's box, and its image header; empty for a bare codestream."""
    _header: tuple[bytes, ...] = field(repr=False)
    """Marker segments of the main header, SIZ first."""
    _parts: dict[int, list[tuple[int, int]]] = field(repr=False)
    """Tile → first and last byte of its parts."""

    @classmethod
    def read(cls, content: bytes) -> TiledCodestream:
        """Read the main header, and the length of every tile part.

        Raises:
            CodestreamError: The file is damaged, or packs the headers of its packets into the main header.
        """
        try:
            start, before = _codestream(content)
            header, end = _main_header(content, start)
            sizes = _SIZES.unpack_from(header[0], _BEFORE_SIZES)
            coding = next(one for one in header if one.startswith(struct.pack(">H", _COD)))
            stream = cls(sizes, coding[9], content, before, tuple(header), _tile_parts(content, end))
        except (struct.error, IndexError, StopIteration) as error:
            raise CodestreamError(f"not a JPEG 2000 codestream ({error})") from error
        if min(stream.sizes[4:6]) < 1 or not 0 < stream._across * stream._down <= _MOST_TILES:
            raise CodestreamError("a JPEG 2000 codestream with impossible tiles")
        return stream

    @property
    def several(self) -> bool:
        """Whether there is more than one tile."""
        return self._across * self._down > 1

    @property
    def tiles(self) -> Iterator[Tile]:
        """All tiles, row by row."""
        right, bottom, left, top, width, height, first, upper = self.sizes
        for number in range(self._across * self._down):
            x, y = first + number % self._across * width, upper + number // self._across * height
            yield Tile(
                number,
                max(x, left) - left,
                max(y, top) - top,
                min(x + width, right) - left,
                min(y + height, bottom) - top,
            )

    def alone(self, tile: Tile) -> bytes:
        """A file that holds one tile, for any decoder.

        Raises:
            CodestreamError: The file ends before that tile.
        """
        if tile.number not in self._parts:
            raise CodestreamError(f"tile {tile.number} is missing")
        _, _, left, top, width, height, first, upper = self.sizes
        x, y = first + tile.number % self._across * width, upper + tile.number // self._across * height
        area = (left + tile.right, top + tile.bottom, left + tile.left, top + tile.top, width, height, x, y)
        siz = bytearray(self._header[0])
        _SIZES.pack_into(siz, _BEFORE_SIZES, *area)
        pieces = [struct.pack(">H", _SOC), bytes(siz), *self._header[1:]]
        for begin, end in self._parts[tile.number]:
            part = bytearray(self._content[begin:end])
            struct.pack_into(">HI", part, 4, 0, len(part))  # it is tile 0 of its own image
            pieces.append(bytes(part))
        stream = b"".join([*pieces, struct.pack(">H", _EOC)])
        before, image_header = self._boxes
        if not before:
            return stream
        size = struct.pack(">II", tile.bottom - tile.top, tile.right - tile.left)
        before = before.replace(image_header, b"ihdr" + size + image_header[12:], 1)
        return before + struct.pack(">I", len(stream) + 8) + b"jp2c" + stream

    @property
    def _across(self) -> int:
        return -(-(self.sizes[0] - self.sizes[6]) // self.sizes[4])

    @property
    def _down(self) -> int:
        return -(-(self.sizes[1] - self.sizes[7]) // self.sizes[5])


def halved(size: tuple[int, int], times: int) -> tuple[int, int]:
    """Width and height after so many halvings, rounded up as the standard does."""
    return -(-size[0] >> times), -(-size[1] >> times)


def shrunk_mosaic(
    stream: TiledCodestream, times: int, decode: Callable[[bytes], NDArray[Any]]
) -> NDArray[Any]:
    """The image halved so many times; only one tile is decoded at a time.

    Args:
        stream: The image.
        times: Halvings.
        decode: Turns a file into height × width (× 3) pixels.

    Raises:
        CodestreamError: A tile is missing.
    """
    width, height = stream.sizes[0] - stream.sizes[2], stream.sizes[1] - stream.sizes[3]
    columns, rows = halved((width, height), times)
    mosaic: NDArray[Any] | None = None
    for tile in stream.tiles:
        (left, top), (right, bottom) = (
            halved(corner, times) for corner in ((tile.left, tile.top), (tile.right, tile.bottom))
        )
        if left == right or top == bottom:  # the tile is narrower than a pixel
            continue
        pixels = decode(stream.alone(tile))
        if mosaic is None:
            mosaic = np.empty((rows, columns, *pixels.shape[2:]), pixels.dtype)
        small = cv2.resize(pixels, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        mosaic[top:bottom, left:right] = small
    if mosaic is None:
        raise CodestreamError("no tile is left")
    return mosaic


def _codestream(content: bytes) -> tuple[int, tuple[bytes, bytes]]:
    """Where the codestream begins, the boxes before it, and its image header box without the length."""
    if not content.startswith(_SIGNATURE_BOX):
        return 0, (b"", b"")
    at = 0
    while at + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        inside = at + 8
        if length == 1:
            length, inside = struct.unpack_from(">Q", content, inside)[0], inside + 8
        if kind == b"jp2c":
            before = content[:at]
            header = before.find(b"ihdr")
            if header < 0:
                raise CodestreamError("no image header before the codestream")
            return inside, (before, before[header : header + 18])
        if length < 8:
            break
        at += length
    raise CodestreamError("no codestream in the file")


def _main_header(content: bytes, start: int) -> tuple[list[bytes], int]:
    """Marker segments before the first tile, without those that list tile parts, and where that begins."""
    if struct.unpack_from(">H", content, start)[0] != _SOC:
        raise CodestreamError("no start of a codestream")
    at, found = start + 2, []
    while (marker := struct.unpack_from(">H", content, at)[0]) != _SOT:
        length = 2 + struct.unpack_from(">H", content, at + 2)[0]
        if marker == _PPM:
            raise CodestreamError("packet headers in the main header")
        if marker not in (_TLM, _PLM):
            found.append(content[at : at + length])
        at += length
    if not found or not found[0].startswith(struct.pack(">H", _SIZ)):
        raise CodestreamError("no size in the main header")
    return found, at


def _tile_parts(content: bytes, at: int) -> dict[int, list[tuple[int, int]]]:
    """First and last byte of the parts of each tile; a file that was cut short lacks its last ones."""
    parts: dict[int, list[tuple[int, int]]] = {}
    while at + 12 <= len(content) and struct.unpack_from(">H", content, at)[0] == _SOT:
        tile, length = struct.unpack_from(">HI", content, at + 4)
        end = at + length if length else len(content) - 2  # 0: to the end of the codestream
        if 0 < length < 14 or end > len(content):
            break
        parts.setdefault(tile, []).append((at, end))
        at = end
    return parts
