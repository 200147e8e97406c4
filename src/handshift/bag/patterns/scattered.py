"""Foreign words here and there: single words written over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.patterns.pattern import Frame, lowest


@dataclass(frozen=True, slots=True)
class Scattered:
    """Every set of `count` places alike."""

    name: str = "scattered"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true on the words drawn."""
        return lowest(rng.random(frame.inside.shape), frame)
