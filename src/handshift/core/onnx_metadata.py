"""Key–value pairs that an exporter stored in an ONNX file, read without loading the network."""

from __future__ import annotations

_METADATA = 14
"""Field number of `metadata_props` in ONNX's ModelProto; its entries have key (1) and value (2)."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types of protobuf."""


def onnx_metadata(content: bytes) -> dict[str, str]:
    """Read the metadata of an ONNX file; the graph is skipped as a whole.

    Args:
        content: The file.

    Returns:
        Its pairs; none where the content is damaged or no ONNX file, which loading it tells better.
    """
    pairs = {}
    try:
        for field, value in _fields(content):
            if field == _METADATA and isinstance(value, bytes):
                entry = {number: part.decode() for number, part in _fields(value) if isinstance(part, bytes)}
                pairs[entry.get(1, "")] = entry.get(2, "")
    except (IndexError, ValueError):
        return {}
    return pairs


def _fields(message: bytes) -> list[tuple[int, bytes | int]]:
    """Number and value of each field of a protobuf message."""
    found: list[tuple[int, bytes | int]] = []
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        field, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            found.append((field, value))
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if at + size > len(message):
            raise ValueError("a field exceeds the message")
        found.append((field, bytes(message[at : at + size])))
        at += size
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins at a byte, and the byte after it."""
    value, shift = 0, 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
