"""Small data sets on disk, for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from handshift.healthmap.health_map import encode_map

SIZE = (31, 95)


def write_maps(folder: Path, count: int, seed: int, level: float = 0.2) -> None:
    """``map-000.tif`` and on: log-normal noise round a level."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        path = folder / f"map-{number:03d}.tif"
        path.write_bytes(encode_map(level * np.exp(0.2 * rng.standard_normal(SIZE)), path))


def write_domains(root: Path, domains: str = "AB", train: int = 20, test: int = 5) -> Path:
    """``<domain>/{train,test}/{good,fault}`` of float TIFFs."""
    for at, domain in enumerate(domains):
        write_maps(root / domain / "train" / "good", train, 3 * at)
        write_maps(root / domain / "test" / "good", test, 3 * at + 1)
        write_maps(root / domain / "test" / "fault", test, 3 * at + 2, level=0.3)
    return root
