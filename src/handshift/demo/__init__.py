"""The two example pages that come with the package, drawn by synthetic scribes."""

from __future__ import annotations

from pathlib import Path

TWO_HANDS = Path(__file__).with_name("two-hands.png")
"""A letter of 87 words in which another scribe wrote the words 46 to 60."""

ONE_HAND = Path(__file__).with_name("one-hand.png")
"""The same letter by one scribe throughout."""
