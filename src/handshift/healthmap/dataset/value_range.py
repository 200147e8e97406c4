"""From where to where the values of a domain's maps go."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from handshift.healthmap.maps import HealthMap


class ValueRange(BaseModel):
    """Smallest and largest value of some maps; empty, it holds nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    low: float = float("inf")
    high: float = float("-inf")

    def including(self, map_: HealthMap) -> ValueRange:
        """The range widened to hold a map too."""
        low, high = map_.value_range
        return ValueRange(low=min(self.low, low), high=max(self.high, high))

    def outside(self, map_: HealthMap) -> float:
        """Share of a map's values that lie beyond the range."""
        return float(np.mean((map_.values < self.low) | (map_.values > self.high)))

    def __str__(self) -> str:
        return f"{self.low:.4g}…{self.high:.4g}"
