"""What a detector is that looks at the map itself and needs no encoder."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray


class PixelDetector(Protocol):
    """Fitted to normal maps, it gives every map one number."""

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Learn from normal maps (N, H, W)."""

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(B, H, W) → (B,)."""
