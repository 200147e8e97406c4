"""One run of foreign words: an inserted sentence, a changed ending."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from handshift.bag.patterns.pattern import Frame


class Where(Enum):
    """In which part of the bag the run stands."""

    FRONT = "front"
    MIDDLE = "middle"
    BACK = "back"
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Block:
    """start ∈ {0, ⌊(size − count)/2⌋, size − count}, or uniform between the first and the last."""

    where: Where = Where.ANYWHERE

    @property
    def name(self) -> str:
        """With its part of the bag."""
        return "block" if self.where is Where.ANYWHERE else f"block, {self.where.value}"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) one run of `count` words in each."""
        room = frame.size - frame.count
        start = {
            Where.FRONT: np.zeros_like(room),
            Where.MIDDLE: room // 2,
            Where.BACK: room,
            Where.ANYWHERE: rng.integers(room + 1),
        }[self.where][:, None]
        return np.asarray((frame.place >= start) & (frame.place < start + frame.count[:, None]))
