"""Independent random generators for each purpose, so that a draw added in one place changes no other."""

from __future__ import annotations

import numpy as np


def chance(*purpose: int | str) -> np.random.Generator:
    """Return a generator that depends on the purpose alone: the same in every run.

    `hash()` is salted per process, hence the bytes of the text themselves.
    """
    words: list[int] = []
    for part in purpose:
        if isinstance(part, str):
            words.append(int.from_bytes(part.encode(), "little") + 1)
        else:
            words.append(2 * abs(part) + (part < 0))
    return np.random.default_rng(np.random.SeedSequence(words))
