"""What a map file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.error import MapError

Floats = NDArray[np.float32]


class MapKind(StrEnum):
    """How finely the file tells its values apart; a model trained on one kind is no judge of another."""

    FLOAT = "float"
    """float32 (or float16, float64): physical values, of any size and sign, as they are."""
    WORD = "16-bit"
    """0…65535, read as 0…1."""
    BYTE = "8-bit"
    """0…255, read as 0…1."""


@dataclass(frozen=True, slots=True)
class HealthMap:
    """One map or picture, never clipped."""

    values: Floats = field(repr=False)
    """H×W, or H×W×3 for a picture in colour; finite."""
    kind: MapKind
    path: Path

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns: planet teeth × ring teeth, height × width."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def channels(self) -> int:
        """1, or 3 for colour."""
        return 1 if self.values.ndim == 2 else self.values.shape[2]

    @property
    def planes(self) -> Floats:
        """Channels first: 1×H×W or 3×H×W."""
        return self.values[None] if self.values.ndim == 2 else self.values.transpose(2, 0, 1)

    @property
    def value_range(self) -> tuple[float, float]:
        """Smallest and largest value."""
        return float(self.values.min()), float(self.values.max())


FULL_SCALE = {np.dtype(np.uint8): (MapKind.BYTE, 255), np.dtype(np.uint16): (MapKind.WORD, 65535)}


def as_map(raw: NDArray[np.generic], path: Path) -> HealthMap:
    """Bring decoded pixels to float32; refuse a shape, a type or a value that no map has."""
    if raw.ndim == 3 and raw.shape[2] == 1:
        raw = raw[:, :, 0]
    if raw.ndim not in (2, 3) or (raw.ndim == 3 and raw.shape[2] != 3) or 0 in raw.shape:
        shape = "×".join(map(str, raw.shape)) or "one number"
        raise MapError(
            path, f"holds {shape}, not one map of rows × columns; save each map in a file of its own"
        )
    native = raw.dtype.newbyteorder("=")  # a TIFF from another machine may have its bytes the other way round
    if native in FULL_SCALE:
        kind, full = FULL_SCALE[native]
        return HealthMap((raw.astype(np.float32) / np.float32(full)), kind, path)
    if native.kind != "f":
        raise MapError(path, f"its values are {raw.dtype}; save them as float32")
    if bad := int((~np.isfinite(raw)).sum()):
        raise MapError(
            path, f"{bad} of {raw.size} pixels are NaN or infinite; mend the recording or leave it out"
        )
    with np.errstate(over="ignore"):
        values = raw.astype(np.float32)
    if not np.isfinite(values).all():
        raise MapError(path, "values beyond the range of float32; scale them down")
    return HealthMap(values, MapKind.FLOAT, path)
