"""Every other line by another hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.patterns.pattern import Frame, lowest


@dataclass(frozen=True, slots=True)
class Lines:
    """The first `count` words of every other line, from a line drawn at random and on round the bag.

    Where those lines hold fewer than `count` words, the rest comes from the lines between. Where lines are
    not known, every `run` words stand for one.
    """

    run: int = 7

    @property
    def name(self) -> str:
        """Without the run, which only stands in for real lines."""
        return "alternating lines"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true on the foreign lines."""
        if frame.line is None:
            line = np.broadcast_to(frame.place // self.run, frame.inside.shape)
        else:
            line = frame.line - frame.line[:, :1]
        line = np.where(frame.inside, line, 0)
        lines = line.max(axis=1, initial=0) + 1
        begin = rng.integers(lines)[:, None]
        after = (line < begin) * float(frame.place.size) + frame.place
        between = (line - begin) % 2 * 2.0 * frame.place.size
        return lowest(after + between, frame)
