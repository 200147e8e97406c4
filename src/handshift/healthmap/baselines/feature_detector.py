"""Base class of detectors that are fitted to encoder features and stored as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npz

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class FeatureDetector(ABC):
    """A detector on patch features; its dataclass fields are arrays and are all that is stored."""

    @classmethod
    @abstractmethod
    def fit(cls, features: NDArray[np.floating], seed: int = 0) -> Self:
        """Fit to features (maps, groups, tokens, width) of normal maps."""

    @abstractmethod
    def distances(self, features: NDArray[np.floating]) -> Floats:
        """Anomaly score of every patch, (B, groups, T, width) → (B, 1, T); groups are concatenated."""

    def batched_distances(self, features: NDArray[np.floating], at_once: int = 64) -> Floats:
        """`distances` of any number of maps, ``at_once`` maps at a time to bound memory."""
        parts = [self.distances(features[at : at + at_once]) for at in range(0, len(features), at_once)]
        return np.concatenate(parts) if parts else np.empty((0, 1, features.shape[2]), np.float32)

    def save(self, path: Path) -> None:
        """Write the arrays as ``.npz``."""
        buffer = BytesIO()
        np.savez(buffer, **{field.name: getattr(self, field.name) for field in fields(self)})
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load a detector that `save` wrote.

        Raises:
            HandshiftError: The file is missing or damaged.
        """
        try:
            stored = read_npz(path)
            optional = {field.name for field in fields(cls) if field.default_factory is not MISSING}
            names = [
                field.name for field in fields(cls) if field.name in stored or field.name not in optional
            ]
            return cls(**{name: stored[name] for name in names})
        except (LoadError, KeyError) as error:
            raise HandshiftError(f"{path}: not a fitted {cls.__name__} ({error}); train it again") from error


def concatenate_groups(features: NDArray[np.floating]) -> Floats:
    """Concatenate the groups of each patch: (B, G, T, width) → (B, T, G·width)."""
    batch, groups, tokens, width = features.shape
    patches = np.asarray(features, np.float32).transpose(0, 2, 1, 3)
    return patches.reshape(batch, tokens, groups * width)


def sample_patches(features: NDArray[np.floating], most: int, random: np.random.Generator) -> Floats:
    """Sample about ``most`` patches at random, equally many from each map: (N, G·width)."""
    maps, tokens = features.shape[0], features.shape[2]
    per_map = max(1, min(tokens, most // maps))
    chosen = (random.choice(tokens, per_map, replace=False) for _ in range(maps))
    return np.concatenate(
        [concatenate_groups(f[None])[0][rows] for f, rows in zip(features, chosen, strict=True)]
    )
