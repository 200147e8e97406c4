"""Kind, size and value ranges of the training maps, stored with the model to check every scored map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from handshift.core.errors import MapError
from handshift.healthmap.health_map import HealthMap, MapKind


class ValueRange(BaseModel):
    """Smallest and largest value of a set of maps; the default is the empty range."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    low: float = float("inf")
    high: float = float("-inf")

    def including(self, map_: HealthMap) -> ValueRange:
        """The range extended by a map."""
        low, high = map_.value_range
        return ValueRange(low=min(self.low, low), high=max(self.high, high))

    def outside(self, map_: HealthMap) -> float:
        """Share of a map's values outside the range."""
        return float(np.mean((map_.values < self.low) | (map_.values > self.high)))

    def __str__(self) -> str:
        return f"{self.low:.4g}…{self.high:.4g}"


MAX_SHARE_OUTSIDE = 0.2
"""Share of pixels out of range before a warning: a fault covers a row or two, another unit the whole map."""


class MapProfile(BaseModel):
    """Kind, size and value range of training maps."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: MapKind
    channels: int
    size: tuple[int, int] | None
    """Rows and columns; None if the training pictures differ in size, and any size is accepted."""
    ranges: dict[str, ValueRange]
    """By domain."""

    @classmethod
    def fit(cls, maps: Iterable[tuple[str, HealthMap]]) -> Self:
        """Profile the training maps in one pass.

        Args:
            maps: Each map with its domain.

        Returns:
            The profile.

        Raises:
            MapError: The maps differ in kind or channels, or float maps differ in size.
        """
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
        """Refuse a map that differs from the training maps in kind, channels or (float maps) size.

        Raises:
            MapError: It differs.
        """
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
        """Training range of a domain; of all domains together if the domain is unknown."""
        if domain in self.ranges:
            return self.ranges[domain]
        return ValueRange(
            low=min(range_.low for range_ in self.ranges.values()),
            high=max(range_.high for range_ in self.ranges.values()),
        )

    def warning(self, map_: HealthMap, domain: str | None = None) -> str | None:
        """Warning for a map of which more than a fifth of the pixels lie outside the training range."""
        known = self.range_of(domain)
        if (outside := known.outside(map_)) <= MAX_SHARE_OUTSIDE:
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
