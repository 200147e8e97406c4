"""The one way from a map to the pixels a network sees, the same for training and for test.

Every step is linear and separable, so the whole way is two small matrices: frame = R · map · Cᵀ. A model
keeps its `Resizing`, and whoever scores with it cannot resize in another way (nearest against bilinear once
cost 57 points of AUROC).
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, model_validator

from handshift.healthmap.maps import Floats

Side = tuple[int, int]


class Interpolation(StrEnum):
    """How pixels between pixels are made; chosen once, with the model."""

    BILINEAR = "bilinear"
    """A triangle, as wide as one pixel of the coarser of the two grids: no aliasing when shrinking."""
    NEAREST = "nearest"


class Resizing(BaseModel):
    """A map is brought to ``size`` and its centre put into ``frame``.

    A frame smaller than the size crops; a larger one goes on round the map, which is a torus. With
    ``circular`` the pixels beside an edge are those of the opposite edge in interpolation too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: Side
    frame: Side
    interpolation: Interpolation = Interpolation.BILINEAR
    circular: bool = True

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if min(*self.size, *self.frame) < 1:
            raise ValueError("size and frame must be at least 1×1 pixel")
        larger = self.frame[0] > self.size[0] or self.frame[1] > self.size[1]
        if larger and not self.circular:
            raise ValueError("a frame larger than the size is filled by going round: set circular")
        return self

    @classmethod
    def crop(cls, size: int = 448, frame: int = 392) -> Resizing:
        """As in the source: stretch to a square and keep its centre; loses 23 % of the map."""
        return cls(size=(size, size), frame=(frame, frame), circular=False)

    @classmethod
    def wrap(cls, size: Side = (62, 190), tokens: Side = (8, 14), patch: int = 14) -> Resizing:
        """Keep the whole map at ``size`` and go on round it until ``tokens`` patches are full."""
        return cls(size=size, frame=(tokens[0] * patch, tokens[1] * patch))

    @classmethod
    def whole(cls, frame: Side, *, circular: bool = False) -> Resizing:
        """Stretch the whole map or photograph to the frame, neither cropped nor repeated."""
        return cls(size=frame, frame=frame, circular=circular)

    def tokens(self, patch: int) -> Side:
        """Rows and columns of patches in the frame; a patch must fit in whole."""
        if self.frame[0] % patch or self.frame[1] % patch:
            raise ValueError(
                f"a frame of {self.frame[0]}×{self.frame[1]} is not whole patches of {patch} pixels"
            )
        return self.frame[0] // patch, self.frame[1] // patch

    def apply(self, values: Floats) -> Floats:
        """Resize (…, H, W) float32 to (…, *frame); values are weighted means, never clipped."""
        rows, columns = self._matrices((values.shape[-2], values.shape[-1]))
        return np.asarray(rows @ values @ columns.T, np.float32)

    def restore(self, framed: NDArray[np.floating], shape: Side) -> Floats:
        """Bring what was found in the frame, (…, *frame), back to the pixels of the map, (…, *shape).

        Each pixel takes the mean over all its places in the frame; one that the crop has dropped takes the
        least value found, since nothing can be known of it (`seen` tells which).
        """
        rows, columns = self._matrices(shape)
        weight = np.outer(rows.sum(axis=0), columns.sum(axis=0))  # (H, W)
        spread = rows.T @ np.asarray(framed, np.float32) @ columns
        lowest = np.asarray(framed, np.float32).min(axis=(-2, -1), keepdims=True)
        return np.where(weight > 0, spread / np.where(weight > 0, weight, 1), lowest).astype(np.float32)

    def seen(self, shape: Side) -> NDArray[np.bool_]:
        """Which pixels of a map of this shape have a place in the frame."""
        rows, columns = self._matrices(shape)
        return np.outer(rows.sum(axis=0) > 0, columns.sum(axis=0) > 0)

    def _matrices(self, shape: Side) -> tuple[Floats, Floats]:
        rows, columns = (
            _matrix(given, size, frame, self.interpolation, self.circular)
            for given, size, frame in zip(shape, self.size, self.frame, strict=True)
        )
        return rows, columns


@lru_cache(maxsize=256)
def _matrix(given: int, size: int, frame: int, interpolation: Interpolation, circular: bool) -> Floats:
    """Weights (frame, given) of the given pixels in each pixel of the frame; rows add up to 1."""
    places = np.arange(frame) + (size - frame) // 2  # in pixels of the size; beyond it, once more round
    centres = (places + 0.5) * given / size - 0.5  # in given pixels
    matrix = np.zeros((frame, given), np.float64)
    if interpolation is Interpolation.NEAREST:
        nearest = np.floor(centres + 0.5).astype(int)
        matrix[np.arange(frame), nearest % given if circular else nearest.clip(0, given - 1)] = 1
        return matrix.astype(np.float32)
    width = max(1.0, given / size)
    reach = int(np.ceil(width))
    first = np.floor(centres).astype(int) - reach + 1
    for step in range(2 * reach):
        pixel = first + step
        weight = np.maximum(0, 1 - np.abs(pixel - centres) / width)
        if not circular:  # what lies outside has no weight, as in Pillow
            weight = np.where((pixel >= 0) & (pixel < given), weight, 0)
        np.add.at(matrix, (np.arange(frame), pixel % given), weight)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True), np.float32)
