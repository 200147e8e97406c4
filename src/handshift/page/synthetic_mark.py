"""The mark in a PNG file that says that its page was drawn by a program and not written by a person."""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = len(_SIGNATURE) + 25  # IHDR is the first chunk and has 13 bytes of content
_MARK = b"Source\0synthetic scribes of handshift"
"""Content of the tEXt chunk: one of the PNG standard's own keywords, and its text."""
_MOST_CHUNKS = 64
"""Chunks before the pixels that are looked at; a page has three or four."""


def mark_synthetic(png: bytes) -> bytes:
    """The same picture with the mark, as a tEXt chunk behind the header."""
    if is_synthetic(png):
        return png
    return png[:_HEADER] + _chunk(b"tEXt", _MARK) + png[_HEADER:]


def is_synthetic(content: bytes) -> bool:
    """Whether a file is a PNG that carries the mark before its pixels."""
    if not content.startswith(_SIGNATURE):
        return False
    at = len(_SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        if at + 8 > len(content):
            return False
        length, kind = struct.unpack_from(">I4s", content, at)
        if kind == b"IDAT":
            return False
        if kind == b"tEXt" and length == len(_MARK) and content[at + 8 : at + 8 + length] == _MARK:
            return True
        at += 12 + length
    return False


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
