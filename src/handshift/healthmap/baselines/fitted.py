"""What a fitted detector is: arrays, and a distance of every patch from them.

What a detector is that looks at the map itself and needs no encoder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npz

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Fitted(ABC):
    """All fields are arrays; they are the whole model."""

    @classmethod
    @abstractmethod
    def fit(cls, features: NDArray[np.floating], seed: int = 0) -> Self:
        """Learn from features (maps, groups, tokens, width) of normal maps."""

    @abstractmethod
    def distances(self, features: NDArray[np.floating]) -> Floats:
        """(B, groups, T, width) → (B, 1, T): groups are joined inside."""

    def measured(self, features: NDArray[np.floating], at_once: int = 64) -> Floats:
        """`distances` of any number of maps, in pieces that fit into memory."""
        parts = [self.distances(features[at : at + at_once]) for at in range(0, len(features), at_once)]
        return np.concatenate(parts) if parts else np.empty((0, 1, features.shape[2]), np.float32)

    def save(self, path: Path) -> None:
        """Write the arrays as ``.npz``."""
        buffer = BytesIO()
        np.savez(buffer, **{field.name: getattr(self, field.name) for field in fields(self)})
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        try:
            stored = read_npz(path)
            return cls(**{field.name: stored[field.name] for field in fields(cls)})
        except (LoadError, KeyError) as error:
            raise HandshiftError(f"{path}: not a fitted {cls.__name__} ({error}); train it again") from error


def joined(features: NDArray[np.floating]) -> Floats:
    """Groups side by side: (B, G, T, width) → (B, T, G·width)."""
    batch, groups, tokens, width = features.shape
    side_by_side = np.asarray(features, np.float32).transpose(0, 2, 1, 3)
    return side_by_side.reshape(batch, tokens, groups * width)


def drawn_patches(features: NDArray[np.floating], most: int, random: np.random.Generator) -> Floats:
    """About ``most`` patches, equally many from each map: (N, G·width)."""
    maps, tokens = features.shape[0], features.shape[2]
    per_map = max(1, min(tokens, most // maps))
    chosen = (random.choice(tokens, per_map, replace=False) for _ in range(maps))
    return np.concatenate([joined(f[None])[0][rows] for f, rows in zip(features, chosen, strict=True)])


class PixelDetector(Protocol):
    """Fitted to normal maps, it gives every map one number."""

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Learn from normal maps (N, H, W)."""

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(B, H, W) → (B,)."""
