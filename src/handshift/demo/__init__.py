"""The two example pages that come with the package, drawn by synthetic scribes."""

from __future__ import annotations

from pathlib import Path

TWO_HANDS = Path(__file__).with_name("two-hands.png")
"""A letter of 87 words in which another scribe wrote the words 46 to 60."""

ONE_HAND = Path(__file__).with_name("one-hand.png")
"""The same letter by one scribe throughout."""

SHA256 = frozenset(
    {
        "5cc3c2699b6ad35019b324cc95a937768887efbfd858ffb37b8181bc66ec9644",
        "420a3fc62b993e32aa4245fc0b6c73a1ab736dfc4ef81499dbeb34cb401791ab",
    }
)
"""Of both pages: wherever they are examined, the verdict says that they were drawn."""
