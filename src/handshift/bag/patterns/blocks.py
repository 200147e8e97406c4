"""Several runs of foreign words, at least one word of the host between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.patterns.pattern import Frame


@dataclass(frozen=True, slots=True)
class Blocks:
    """`number` runs as equal in length as they can be, in distinct gaps among the host's words, gaps alike.

    The h = size − count words of the host leave h + 1 gaps; where there are fewer gaps or foreign words than
    runs, there are fewer runs.
    """

    number: int = 2

    @property
    def name(self) -> str:
        """With the number of runs."""
        return f"{self.number} blocks"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true in the runs."""
        gaps = frame.size - frame.count + 1
        number = np.minimum(np.minimum(self.number, frame.count), gaps)[:, None]
        key = rng.random((len(gaps), int(gaps.max(initial=1))))
        key[np.arange(key.shape[1]) >= gaps[:, None]] = np.inf
        turn = np.arange(min(self.number, key.shape[1]))
        chosen = np.argsort(key, axis=1)[:, : turn.size]
        chosen = np.sort(np.where(turn < number, chosen, key.shape[1]), axis=1)
        length = np.where(turn < number, frame.count[:, None] // number, 0)
        length += turn < frame.count[:, None] % number
        start = chosen + np.cumsum(length, axis=1) - length
        place = frame.place[:, None]
        inside = (place >= start[:, None]) & (place < (start + length)[:, None])
        return np.asarray(inside.any(axis=2))
