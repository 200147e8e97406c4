"""Hands are called A, B, …, Z, AA, AB, …; A wrote most."""

from __future__ import annotations


def hand_name(place: int) -> str:
    """The name of the hand in this place, from 0; as columns of a table are named."""
    name = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
