"""Resizing of maps for an encoder, the same in training and in scoring.

Every step is linear and separable, so resizing is a product with two small matrices: frame = R · map · Cᵀ.
The `Resizing` is stored with the model, so scoring cannot use another one (nearest in place of bilinear
interpolation once cost 57 points of AUROC).
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, model_validator

from handshift.healthmap.health_map import Floats

Side = tuple[int, int]


class Interpolation(StrEnum):
    """Interpolation kernel, stored with the model."""

    BILINEAR = "bilinear"
    """Triangle kernel, as wide as one pixel of the coarser grid: anti-aliased when shrinking."""
    NEAREST = "nearest"


class Resizing(BaseModel):
    """Resize a map to ``size``, then crop or pad it about its centre to ``frame``.

    A frame smaller than the size crops. A larger one pads circularly: the map is a torus. With ``circular``
    interpolation wraps at the edges too.

    Attributes:
        size: Rows and columns after interpolation.
        frame: Rows and columns of the result.
        interpolation: The kernel.
        circular: Whether opposite edges meet.
        keep_shape: Whether a picture keeps its ratio of sides: it is made as large as fits into the frame,
            and its edges are repeated beyond it. ``size`` is that of the frame.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    size: Side
    frame: Side
    interpolation: Interpolation = Interpolation.BILINEAR
    circular: bool = True
    keep_shape: bool = False

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.keep_shape and (self.circular or self.size != self.frame):
            raise ValueError("a picture that keeps its shape is not circular, and its size is the frame")
        if min(*self.size, *self.frame) < 1:
            raise ValueError("size and frame must be at least 1×1 pixel")
        larger = self.frame[0] > self.size[0] or self.frame[1] > self.size[1]
        if larger and not self.circular:
            raise ValueError("a frame larger than the size needs circular padding: set circular")
        return self

    @classmethod
    def crop(cls, size: int = 448, frame: int = 392) -> Resizing:
        """As in the source: resize to a square and crop its centre, which drops 23 % of the map."""
        return cls(size=(size, size), frame=(frame, frame), circular=False)

    @classmethod
    def wrap(cls, size: Side = (62, 190), tokens: Side = (8, 14), patch: int = 14) -> Resizing:
        """Resize to ``size`` and pad circularly to ``tokens`` patches."""
        return cls(size=size, frame=(tokens[0] * patch, tokens[1] * patch))

    @classmethod
    def whole(cls, frame: Side, *, circular: bool = False) -> Resizing:
        """Resize the whole map or photograph to the frame, without crop or padding."""
        return cls(size=frame, frame=frame, circular=circular)

    @classmethod
    def fitted(cls, frame: Side) -> Resizing:
        """Fit a picture into the frame without changing its shape."""
        return cls(size=frame, frame=frame, circular=False, keep_shape=True)

    def tokens(self, patch: int) -> Side:
        """Rows and columns of patches in the frame.

        Raises:
            ValueError: The frame is not a whole number of patches.
        """
        if self.frame[0] % patch or self.frame[1] % patch:
            raise ValueError(
                f"a frame of {self.frame[0]}×{self.frame[1]} is not whole patches of {patch} pixels"
            )
        return self.frame[0] // patch, self.frame[1] // patch

    def apply(self, values: Floats) -> Floats:
        """Resize (…, H, W) float32 to (…, *frame); values are weighted means and are never clipped."""
        rows, columns = self._matrices((values.shape[-2], values.shape[-1]))
        return np.asarray(rows @ values @ columns.T, np.float32)

    def restore(self, framed: NDArray[np.floating], shape: Side) -> Floats:
        """Transfer an anomaly map (…, *frame) back to the pixels of the map, (…, *shape).

        Each pixel takes the mean over all its places in the frame. A pixel that the crop dropped takes the
        smallest value of the frame (`seen` marks these pixels).

        Args:
            framed: Values in the frame.
            shape: Rows and columns of the map.

        Returns:
            Values in the map.
        """
        rows, columns = self._matrices(shape, padded=False)
        weight = np.outer(rows.sum(axis=0), columns.sum(axis=0))  # (H, W)
        spread = rows.T @ np.asarray(framed, np.float32) @ columns
        lowest = np.asarray(framed, np.float32).min(axis=(-2, -1), keepdims=True)
        return np.where(weight > 0, spread / np.where(weight > 0, weight, 1), lowest).astype(np.float32)

    def seen(self, shape: Side) -> NDArray[np.bool_]:
        """Mask of the pixels of a map of this shape that have a place in the frame, (H, W)."""
        rows, columns = self._matrices(shape)
        return np.outer(rows.sum(axis=0) > 0, columns.sum(axis=0) > 0)

    def inside(self, shape: Side) -> NDArray[np.bool_]:
        """Mask of the frame's pixels that show the map and not the repetition of its edges, ``frame``."""
        rows, columns = self._matrices(shape, padded=False)
        return np.outer(rows.sum(axis=1) > 0, columns.sum(axis=1) > 0)

    def _matrices(self, shape: Side, padded: bool = True) -> tuple[Floats, Floats]:
        rows, columns = (
            _matrix(given, size, frame, self.interpolation, self.circular)
            if not self.keep_shape
            else _repeating(given, size, frame, self.interpolation, padded)
            for given, size, frame in zip(shape, self._size(shape), self.frame, strict=True)
        )
        return rows, columns

    def _size(self, shape: Side) -> Side:
        """Rows and columns of a map of this shape after interpolation."""
        if not self.keep_shape:
            return self.size
        scale = min(self.frame[0] / shape[0], self.frame[1] / shape[1])
        return max(1, round(scale * shape[0])), max(1, round(scale * shape[1]))


@lru_cache(maxsize=256)
def _repeating(given: int, size: int, frame: int, interpolation: Interpolation, padded: bool) -> Floats:
    """`_matrix` of a size within the frame; beyond it the edges' weights, or none if not ``padded``."""
    matrix = _matrix(given, size, size, interpolation, circular=False)
    before = (frame - size) // 2
    beyond = before, frame - size - before
    return np.pad(matrix, (beyond, (0, 0)), mode="edge") if padded else np.pad(matrix, (beyond, (0, 0)))


@lru_cache(maxsize=256)
def _matrix(given: int, size: int, frame: int, interpolation: Interpolation, circular: bool) -> Floats:
    """Weights (frame, given) of the given pixels in each pixel of the frame; rows sum to 1."""
    places = np.arange(frame) + (size - frame) // 2  # in pixels of the size; beyond its edges they wrap
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
        if not circular:  # pixels outside have no weight, as in Pillow
            weight = np.where((pixel >= 0) & (pixel < given), weight, 0)
        np.add.at(matrix, (np.arange(frame), pixel % given), weight)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True), np.float32)
