"""Messages between handshift and its decoding process: a JSON header, then raw bytes.

Nothing is pickled, so a decoder that a hostile file has taken over can send wrong pixels and nothing else.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from handshift.page.external_segmentation import Extent, ExternalSegmentation, Piece

_LENGTHS = struct.Struct("<IQ")
"""Bytes of the header and of the payload."""
LARGEST_HEADER = 256 << 20
"""A segmentation travels in the header: at most a few times the 64 MiB of its XML."""

Header = dict[str, Any]


def send(stream: IO[bytes], header: Header, payload: memoryview | bytes = b"") -> None:
    """Write one message."""
    encoded = json.dumps(header).encode("utf-8", "surrogatepass")
    stream.write(_LENGTHS.pack(len(encoded), len(payload)))
    stream.write(encoded)
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes], most: int) -> tuple[Header, bytearray]:
    """Read one message.

    Args:
        stream: Where it comes from.
        most: Largest payload accepted, checked before it is allocated.

    Returns:
        Header and payload.

    Raises:
        EOFError: The other process has ended.
        ValueError: The message is not one.
    """
    header_length, payload_length = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    if header_length > LARGEST_HEADER or payload_length > most:
        raise ValueError(f"a message of {header_length} and {payload_length} bytes")
    header = json.loads(_exactly(stream, header_length).decode("utf-8", "surrogatepass"))
    if not isinstance(header, dict):
        raise ValueError("a header that is no object")
    return header, _exactly(stream, payload_length)


def _exactly(stream: IO[bytes], count: int) -> bytearray:
    buffer = bytearray(count)
    view, filled = memoryview(buffer), 0
    while filled < count:
        got = stream.readinto(view[filled:])  # type: ignore[attr-defined]  # raw and buffered streams have it
        if not got:
            raise EOFError
        filled += got
    return buffer


def segmentation_to_json(given: ExternalSegmentation) -> Header:
    """The segmentation as JSON values."""
    return {**asdict(given), "source": str(given.source)}


def segmentation_from_json(found: Header) -> ExternalSegmentation:
    """Inverse of `segmentation_to_json`."""
    pieces = tuple(
        Piece(Extent(*piece["extent"]), int(piece["line"]), piece["text"], bool(piece["whole_line"]))
        for piece in found["pieces"]
    )
    return ExternalSegmentation(
        Path(found["source"]), pieces, found["width"], found["height"], found["units_per_inch"]
    )
