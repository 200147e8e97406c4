"""From where to where the values of a domain's maps go.

What the maps a model was trained on have in common, kept with the model to check every later map.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from handshift.core.errors import MapError
from handshift.healthmap.maps import HealthMap, MapKind


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


STRANGE_SHARE = 0.2
"""Of pixels out of range: a fault takes a row or two of a map, another unit takes all of it."""


class MapProfile(BaseModel):
    """Kind, size and value range of training maps."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: MapKind
    channels: int
    size: tuple[int, int] | None
    """Rows and columns; None where training pictures differ in size, and any size will do."""
    ranges: dict[str, ValueRange]
    """By domain."""

    @classmethod
    def of(cls, maps: Iterable[tuple[str, HealthMap]]) -> Self:
        """Look once at all training maps, each with its domain; refuse a mixture of kinds or float sizes."""
        profile: Self | None = None
        for domain, map_ in maps:
            if profile is None:
                ranges = {domain: ValueRange().including(map_)}
                profile = cls(kind=map_.kind, channels=map_.channels, size=map_.size, ranges=ranges)
            profile = profile._including(domain, map_)
        if profile is None:
            raise ValueError("a profile needs at least one map")
        return profile

    def check(self, map_: HealthMap) -> None:
        """Refuse a map whose kind, channels or size training has not seen."""
        if map_.kind is not self.kind:
            known = f"{map_.kind} values where training had {self.kind}"
            raise MapError(map_.path, f"{known}; export it again from the recording, without rounding")
        if map_.channels != self.channels:
            raise MapError(map_.path, f"{map_.channels} channel(s) where training had {self.channels}")
        # Photographs may have any size; the pixels of a float map are teeth.
        if map_.kind is MapKind.FLOAT and map_.size != self.size:
            known = f"{_shape(map_.size)} where training had {_shape(self.size)}"
            raise MapError(map_.path, f"{known}; its pixels are other teeth, so build it as those were")

    def range_of(self, domain: str | None) -> ValueRange:
        """Training range of a domain; of all together where it is not known."""
        if domain in self.ranges:
            return self.ranges[domain]
        return ValueRange(
            low=min(range_.low for range_ in self.ranges.values()),
            high=max(range_.high for range_ in self.ranges.values()),
        )

    def warning(self, map_: HealthMap, domain: str | None = None) -> str | None:
        """Tell of a map that can be scored but lies far out of the training range."""
        known = self.range_of(domain)
        if (outside := known.outside(map_)) <= STRANGE_SHARE:
            return None
        found = ValueRange().including(map_)
        return f"{outside:.0%} of its values ({found}) lie outside the training range {known}: another unit?"

    def _including(self, domain: str, map_: HealthMap) -> Self:
        self.check(map_)
        ranges = {**self.ranges, domain: self.ranges.get(domain, ValueRange()).including(map_)}
        return self.model_copy(
            update={"ranges": ranges, "size": self.size if self.size == map_.size else None}
        )


def _shape(size: tuple[int, int] | None) -> str:
    return "several sizes" if size is None else f"{size[0]}×{size[1]} pixels"
