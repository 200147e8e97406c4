"""Text from files and file names, made safe to print on a terminal."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters: a newline forges a line, ESC starts a terminal command
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls, which show text out of order
    "\u2028\u2029\ud800-\udfff]"  # line separators, and the undecodable bytes of file names
)


def one_line(text: object) -> str:
    r"""Escape control characters, bidirectional controls and undecodable bytes: ``a\nb`` becomes ``a\x0ab``.

    Args:
        text: A file name, a transcription, or an error message that may contain one.

    Returns:
        The text on one line, each unsafe character as ``\xNN`` or ``\uNNNN``.
    """
    return _UNSAFE.sub(_escaped, str(text))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
