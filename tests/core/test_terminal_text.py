"""Names and messages from files cannot write lines or commands of their own on a terminal."""

from __future__ import annotations

import pytest

from handshift.core.errors import PageError
from handshift.core.terminal_text import one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.png\nb.png p.1: 1 hand", "a.png\\x0ab.png p.1: 1 hand"),
        ("\x1b[2Jcleared", "\\x1b[2Jcleared"),
        ("gnp.\u202ea", "gnp.\\u202ea"),
        ("bad\udcff", "bad\\udcff"),
        ("two\u2028lines\x9b", "two\\u2028lines\\x9b"),
        ("größer 손글씨 ² ① – plain", "größer 손글씨 ² ① – plain"),
    ],
)
def test_what_a_terminal_would_act_on_is_escaped_and_the_rest_is_kept(text: str, shown: str):
    assert one_line(text) == shown
    assert str(PageError(text, "is empty")) == f"{shown}: is empty"
