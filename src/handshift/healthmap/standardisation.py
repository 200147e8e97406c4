"""Standardised maps: ln value minus usual pixel, minus row and column lower quartiles, over the map's noise.

z = (d − median d)/σ̂, d = r − q¼(columns of r), r = e − q¼(rows of e), e = ln X − usual, σ̂ = 1.4826·MAD(d).
Lower quartiles instead of medians: a ring fault raises more than half of a column, and its median with it
(AUROC of ring faults .94 with medians, .999 with quartiles). The scale is each map's own: cold and warm maps
differ in noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, parse_npz, read_bytes
from handshift.healthmap.health_map import Floats, HealthMap, MapKind
from handshift.healthmap.which_tooth import MAD_TO_SIGMA, Floats64

QUARTILE = 0.25
FLOOR = 1e-3
"""Of the median of a map: smaller values, and zeros, count as this much before the logarithm is taken."""
MIN_NOISE = 1e-3
"""Lower bound of σ̂, in ln: a map without noise must not be divided by zero."""
PICTURE_MEAN, PICTURE_SIGMA = 0.25, 0.1
"""Value and standard deviation of a standardised map for the encoder, those that maps-1 was trained with."""
FILE = "standardisation.npz"
_LARGEST = 1 << 30


def log_levels(maps: NDArray[np.floating]) -> Floats64:
    """ln of every pixel minus the map's median, (…, H, W)."""
    values = np.abs(np.asarray(maps, np.float64))
    median = np.median(values, axis=(-2, -1), keepdims=True)
    logarithm = np.log(np.maximum(values, np.maximum(FLOOR * median, 1e-30)))
    return np.asarray(logarithm - np.median(logarithm, axis=(-2, -1), keepdims=True), np.float64)


def usual_pixels(maps: NDArray[np.floating]) -> Floats64:
    """Mean of `log_levels` over normal maps, (N, H, W) → (H, W)."""
    return np.asarray(log_levels(maps).mean(axis=0), np.float64)


def standardise(maps: NDArray[np.floating], usual: NDArray[np.floating]) -> Floats64:
    """z-score of every pixel among the pixels of its own map.

    Args:
        maps: (…, H, W).
        usual: Usual pixels of the domain, (H, W).

    Returns:
        (…, H, W), median 0 and robust standard deviation 1.
    """
    rest = log_levels(maps) - usual
    rest = rest - np.quantile(rest, QUARTILE, axis=-1, keepdims=True)
    rest = rest - np.quantile(rest, QUARTILE, axis=-2, keepdims=True)
    rest = rest - np.median(rest, axis=(-2, -1), keepdims=True)
    noise = MAD_TO_SIGMA * np.median(np.abs(rest), axis=(-2, -1), keepdims=True)
    return np.asarray(rest / np.maximum(noise, MIN_NOISE), np.float64)


@dataclass(frozen=True)
class Standardisation:
    """Usual pixels of every domain, fitted to normal training maps.

    Attributes:
        domains: Their names.
        usual: (domains, H, W).
    """

    domains: tuple[str, ...]
    usual: Floats

    @classmethod
    def fit(cls, maps: Iterable[tuple[str, HealthMap]]) -> Self:
        """Fit to normal training maps, in one pass.

        Args:
            maps: Each map with its domain.

        Returns:
            The standardisation.

        Raises:
            HandshiftError: The maps are pictures, or differ in size.
        """
        sums: dict[str, Floats64] = {}
        counts: dict[str, int] = {}
        for domain, map_ in maps:
            if map_.kind is not MapKind.FLOAT or map_.channels != 1:
                raise HandshiftError(f"{map_.path}: --unit standard needs float maps; use --unit domain")
            values = log_levels(map_.values)
            if domain in sums and sums[domain].shape != values.shape:
                raise HandshiftError(f"{map_.path}: --unit standard needs maps of one size")
            sums[domain] = sums.get(domain, np.zeros_like(values)) + values
            counts[domain] = counts.get(domain, 0) + 1
        names = tuple(sorted(sums))
        usual = np.stack([sums[name] / counts[name] for name in names])
        return cls(names, usual.astype(np.float32))

    def apply(self, planes: Floats, domain: str | None) -> Floats:
        """Standardise one map for the encoder: 0.25 + 0.1·z, (1, H, W) → (1, H, W).

        A map of unknown domain is compared with the mean over domains.
        """
        known = domain in self.domains
        usual = self.usual[self.domains.index(str(domain))] if known else self.usual.mean(axis=0)
        return np.asarray(PICTURE_MEAN + PICTURE_SIGMA * standardise(planes, usual), np.float32)

    def fingerprint(self) -> str:
        """Hash of the fitted numbers."""
        digest = hashlib.sha256(repr((self.domains, self.usual.shape)).encode())
        digest.update(np.ascontiguousarray(self.usual, np.float32).tobytes())
        return digest.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """Write ``standardisation.npz``."""
        buffer = BytesIO()
        np.savez(buffer, domains=np.array(self.domains, np.str_), usual=self.usual)
        write_bytes(folder / FILE, buffer.getvalue())

    @classmethod
    def load(cls, folder: Path, fingerprint: str) -> Self:
        """Load the standardisation of a model folder and check it.

        Args:
            folder: A folder that `handshift maps train` wrote.
            fingerprint: The one stored in ``model.json``.

        Returns:
            The standardisation.

        Raises:
            HandshiftError: The file is missing or damaged, or not the one the model was trained with.
        """
        path = folder / FILE
        try:
            stored = parse_npz(read_bytes(path, _LARGEST), path)
            loaded = cls(tuple(map(str, stored["domains"])), np.asarray(stored["usual"], np.float32))
        except (LoadError, KeyError) as error:
            raise HandshiftError(f"{path}: not a standardisation ({error}); train the model again") from error
        if loaded.fingerprint() != fingerprint:
            raise HandshiftError(
                f"{path}: not the standardisation this model was trained with; copy the whole model folder"
            )
        return loaded
