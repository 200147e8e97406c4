"""Maps named on the command line: files, folders, patterns, or the test part of a data set."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from handshift.core.errors import PathError
from handshift.healthmap.dataset import is_dataset, read_dataset
from handshift.healthmap.dataset.layouts import MASKS
from handshift.healthmap.health_map import MAP_SUFFIXES
from handshift.page.find_scans import find_scans


@dataclass
class MapPaths:
    """Maps to score, each with its domain if the data set gives one, and paths that cannot be used."""

    maps: list[tuple[Path, str | None]] = field(default_factory=list)
    errors: list[PathError] = field(default_factory=list)
    datasets: list[Path] = field(default_factory=list)


def find_maps(paths: list[str]) -> MapPaths:
    """Resolve the arguments of a command.

    Of a data set (a manifest, or a folder with ``train``) only the test maps are taken: thresholds come from
    its training part. Masks of faulty pixels are not maps.

    Args:
        paths: Files, folders or patterns.

    Returns:
        The maps in the order given, and what could not be found.
    """
    found = MapPaths()
    for text in paths:
        path = Path(text)
        if path.exists() and is_dataset(path):
            found.datasets.append(path)
            found.maps += [(item.path, item.domain) for item in read_dataset(path).test]
            continue
        scans = find_scans([text], MAP_SUFFIXES)
        found.errors += scans.errors
        found.maps += [(scan, None) for scan in scans.scans if MASKS not in scan.parts]
    return found
