"""From patch distances to an anomaly map and one score: the mean of the largest pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from scipy.ndimage import gaussian_filter

from handshift.healthmap.health_map import Floats
from handshift.healthmap.resizing import Resizing


class Scoring(BaseModel):
    """Aggregation over scales and over pixels.

    Attributes:
        aggregation: Over scales: arithmetic or generalised mean.
        power: Exponent of the generalised mean.
        weights: Of the scales; equal if None.
        blur: σ of a Gaussian over the anomaly map, in pixels of the frame; 0 for none.
        top: Percentage of largest pixels whose mean is the score.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    aggregation: Literal["mean", "gem"] = "mean"
    power: float = Field(default=3.0, gt=0, description="of the generalised mean")
    weights: tuple[float, ...] | None = Field(default=None, description="of the scales; equal if not given")
    blur: float = Field(default=0.0, ge=0, description="sigma of a Gaussian over the anomaly map, in pixels")
    top: float = Field(default=1.0, gt=0, le=100, description="percent of pixels whose mean is the score")

    def aggregate_scales(self, distances: NDArray[np.floating]) -> Floats:
        """Aggregate over scales: (B, G, T) → (B, T), Σ w·d or (Σ w·d^p)^(1/p)."""
        values = np.asarray(distances, np.float32)
        weights = np.asarray(self.weights or np.full(values.shape[1], 1 / values.shape[1]), np.float32)
        if self.aggregation == "mean":
            return np.asarray(np.einsum("g,bgt->bt", weights, values), np.float32)
        powers = np.maximum(values, 0) ** np.float32(self.power)
        return np.asarray(np.einsum("g,bgt->bt", weights, powers) ** np.float32(1 / self.power), np.float32)

    def anomaly_maps(
        self, distances: NDArray[np.floating], grid: tuple[int, int], resizing: Resizing
    ) -> Floats:
        """Patch distances, interpolated between patch centres: (B, G, T) → (B, *frame)."""
        cells = self.aggregate_scales(distances).reshape(-1, *grid)
        maps = Resizing.whole(resizing.frame, circular=resizing.circular).apply(cells)
        if self.blur:
            mode: Literal["wrap", "nearest"] = "wrap" if resizing.circular else "nearest"
            maps = gaussian_filter(maps, (0, self.blur, self.blur), mode=mode)
        return np.asarray(maps, np.float32)

    def scores(
        self, anomaly_maps: NDArray[np.floating], inside: Sequence[NDArray[np.bool_]] | None = None
    ) -> NDArray[np.float64]:
        """Mean of each map's largest ``top`` percent of pixels, at least one pixel: (B, H, W) → (B,).

        Args:
            anomaly_maps: (B, H, W).
            inside: Of each map the mask of pixels that count, (H, W); all if None.

        Returns:
            (B,).
        """
        if inside is not None:
            pairs = zip(anomaly_maps, inside, strict=True)
            return np.array([self.scores(map_[mask][None, None])[0] for map_, mask in pairs], np.float64)
        pixels = anomaly_maps.reshape(len(anomaly_maps), anomaly_maps.shape[1] * anomaly_maps.shape[2])
        count = max(1, int(pixels.shape[1] * self.top / 100))
        largest = np.partition(pixels, -count, axis=1)[:, -count:]
        return np.asarray(largest.mean(axis=1, dtype=np.float64))
