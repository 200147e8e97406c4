"""A detector of map pixels for each domain, as stored with a model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npz
from handshift.healthmap.baselines.pixel_detector import PixelDetector


class LocatingDetector(PixelDetector, Protocol):
    """A `PixelDetector` that also says where a map is anomalous; its fields are arrays."""

    def anomaly_maps(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(B, H, W) → (B, H, W)."""


D = TypeVar("D", bound=LocatingDetector)


@dataclass(frozen=True)
class ByDomain(Generic[D]):
    """One detector for each domain.

    Attributes:
        by_domain: The detectors, all of one class.
    """

    by_domain: dict[str, D]

    @classmethod
    def fit(cls, kind: type[D], maps: NDArray[np.floating], domains: list[str]) -> Self:
        """Fit a detector of class ``kind`` to the normal maps (N, H, W) of each domain."""
        names = np.array(domains)
        return cls({str(name): kind.fit(maps[names == name]) for name in np.unique(names)})

    def of_domain(self, domain: str | None) -> D:
        """The domain's detector; for an unknown domain one with the mean of all parameters."""
        if domain in self.by_domain:
            return self.by_domain[domain]
        known: list[Any] = list(self.by_domain.values())
        names = [field.name for field in fields(known[0])]
        mean: D = type(known[0])(*(np.mean([getattr(one, name) for one in known], axis=0) for name in names))
        return mean

    def save(self, path: Path) -> None:
        """Write the parameters as ``.npz``."""
        detectors: list[Any] = list(self.by_domain.values())
        stacked: dict[str, Any] = {
            field.name: np.stack([getattr(one, field.name) for one in detectors])
            for field in fields(detectors[0])
        }
        buffer = BytesIO()
        np.savez(buffer, domains=np.array(list(self.by_domain), np.str_), **stacked)
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, kind: type[D], path: Path) -> Self:
        """Load what `save` wrote.

        Args:
            kind: Class of the detectors.
            path: The file.

        Returns:
            The detectors.

        Raises:
            HandshiftError: The file is missing or damaged.
        """
        described: Any = kind
        try:
            stored = read_npz(path)
            columns = [stored[field.name] for field in fields(described)]
            rows = zip(stored["domains"], *columns, strict=True)
            return cls({str(name): described(*values) for name, *values in rows})
        except (LoadError, KeyError, IndexError, ValueError) as error:
            raise HandshiftError(
                f"{path}: not a {kind.__name__} detector ({error}); train it again"
            ) from error
