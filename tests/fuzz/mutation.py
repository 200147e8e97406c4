"""Mutation of files: flips, cuts, repeats, inserts and splices, by seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

INTERESTING = (
    *(b"\0", b"\xff" * 4, b"\x7f\xff\xff\xff", b"-1", b"0", b"1e999", b"9" * 30, b"NaN", b"null"),
    *(b"\xed\xa0\x80", b"\xe2\x80\xae", b"{", b"}", b"[" * 40, b"]", b'"', b"<", b"&x;", b"../", b"\n"),
)


def seed_of(name: str, case: int) -> list[int]:
    """The seed of one case of one reader: the same in every run."""
    return [int.from_bytes(name.encode(), "little") % (1 << 63), case]


def mutated(corpus: Sequence[bytes], random: np.random.Generator) -> bytes:
    """One file, a few changes away from one of the corpus."""
    changed = bytearray(corpus[int(random.integers(len(corpus)))])
    for _ in range(random.integers(1, 6)):
        at = int(random.integers(0, len(changed) + 1))
        length = int(random.integers(1, 24))
        match int(random.integers(7)):
            case 0:
                changed[at : at + 1] = bytes([int(random.integers(256))])
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = changed[at : at + length] * int(random.integers(1, 5))
            case 3:
                changed[at:at] = INTERESTING[int(random.integers(len(INTERESTING)))]
            case 4:
                piece = INTERESTING[int(random.integers(len(INTERESTING)))]
                changed[at : at + len(piece)] = piece
            case 5:
                source = int(random.integers(0, len(changed) + 1))
                changed[at : at + length] = changed[source : source + length]
            case _:
                changed = changed[: max(1, at)]
    return bytes(changed)
