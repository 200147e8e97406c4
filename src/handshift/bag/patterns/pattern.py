"""What a pattern is told, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Frame:
    """Bags to be filled: 0 < count < size words of each are to be foreign."""

    count: NDArray[np.int64]
    """(bags,)"""
    size: NDArray[np.int64]
    """(bags,)"""
    line: NDArray[np.int64] | None = None
    """(bags, longest) on which line of its page a word stands, where that is known."""

    @property
    def place(self) -> NDArray[np.int64]:
        """(longest,) 0, 1, 2, …"""
        return np.arange(int(self.size.max(initial=0)))

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(bags, longest) true on words, false on padding."""
        return np.asarray(self.place < self.size[:, None])


class Pattern(Protocol):
    """Places exactly `count` foreign words in each bag."""

    @property
    def name(self) -> str:
        """As tables give it."""

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true where a foreign word goes."""


def lowest(key: NDArray[np.float64], frame: Frame) -> NDArray[np.bool_]:
    """(bags, longest) true on the `count` words of each bag with the lowest keys, (bags, longest)."""
    order = np.argsort(np.where(frame.inside, key, np.inf), axis=1)
    chosen = np.zeros(key.shape, bool)
    np.put_along_axis(chosen, order, frame.place < frame.count[:, None], axis=1)
    return chosen
