"""Magnetic tiles: which belong together, who learns from which, and their features at their own shape."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from handshift.core.atomic import write_bytes
from handshift.core.loaders import map_npy
from handshift.corpus.manifest import read_rows
from handshift.healthmap.dataset import MapItem
from handshift.healthmap.encoder import FrozenEncoder, load_frozen_encoder
from handshift.healthmap.health_map import read_map
from handshift.healthmap.resizing import Resizing

SAME_TILE = 300
"""Numbers of pictures run on while a tile lies under the camera; a larger gap is another tile."""
GOOD_PARTS = ("train", "train", "report", "train", "choose", "train", "report", "train")
DEFECT_PARTS = ("choose", "report")


def parts_of(data: Path, by_tile: bool = True) -> dict[str, list[MapItem]]:
    """Good tiles to learn from, and two halves with defects: one to choose by, one to report.

    Six exposures of one tile follow each other, and all stay in one part. With ``by_tile`` False pictures
    are dealt out at random instead, as in published figures.
    """
    random = np.random.default_rng(0)
    parts: dict[str, list[MapItem]] = {"train": [], "choose": [], "report": []}
    for items in _by_defect(data).values():
        cycle = DEFECT_PARTS if items[0].label else GOOD_PARTS
        tiles = list(tiles_of(items)) if by_tile else [[items[at]] for at in random.permutation(len(items))]
        for number, tile in enumerate(tiles):
            parts[cycle[number % len(cycle)]] += tile
    return parts


def tile_numbers(data: Path) -> dict[Path, int]:
    """Number of the tile that each picture shows."""
    tiles = [tile for items in _by_defect(data).values() for tile in tiles_of(items)]
    return {item.path: number for number, tile in enumerate(tiles) for item in tile}


def _by_defect(data: Path) -> dict[str, list[MapItem]]:
    found: dict[str, list[MapItem]] = {}
    for _, row in read_rows(data / "manifest.csv", ("path", "label", "defect", "domain", "mask")):
        faulty = row["label"] != "normal"
        item = MapItem(data / row["path"], "tiles", *((row["defect"], data / row["mask"]) if faulty else ()))
        found.setdefault(item.defect, []).append(item)
    return found


def tiles_of(items: Sequence[MapItem]) -> Iterator[list[MapItem]]:
    """Pictures of one tile together."""
    tile: list[MapItem] = []
    for item in sorted(items, key=_number):
        if tile and _number(item) - _number(tile[-1]) > SAME_TILE:
            yield tile
            tile = []
        tile.append(item)
    yield tile


@dataclass(frozen=True)
class TileFeatures:
    """Features of all pictures, each with a grid of its own.

    Attributes:
        kept: File of each picture's features, (rows, columns, groups, width).
    """

    kept: dict[Path, Path]

    @classmethod
    def of_all(cls, data: Path, encoder: str, scale: float, squeezed: int, kept: Path) -> TileFeatures:
        """Encode all pictures at ``scale`` times their size, or ``squeezed`` into a square, unless kept.

        Both splits and every call share what is kept; an interrupted call goes on with the next picture.
        """
        frozen = load_frozen_encoder(encoder, (1, 1))
        items = [item for group in _by_defect(data).values() for item in group]
        settings = [frozen.fingerprint(), scale, squeezed, [item.path.name for item in items]]
        place = kept / hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:16]
        place.mkdir(parents=True, exist_ok=True)
        files = {}
        for item in track(items, "pictures", console=Console(stderr=True)):
            path = place / f"{item.path.parent.name}-{item.path.stem}.npy"
            if not path.is_file():
                write_bytes(path, _npy(_encoded(frozen, item, scale, squeezed)))
            files[item.path] = path
        return cls(files)

    def grids(self, items: Sequence[MapItem]) -> list[tuple[int, int]]:
        """Rows and columns of patches of each picture."""
        shapes = [map_npy(self.kept[item.path]).shape for item in items]
        return [(rows, columns) for rows, columns, *_ in shapes]

    def features(self, item: MapItem) -> NDArray[np.float16]:
        """Of one picture, (1, groups, its patches, width)."""
        stored = map_npy(self.kept[item.path])
        rows, columns, groups, width = stored.shape
        found: NDArray[np.float16] = np.array(stored).reshape(rows * columns, groups, width)
        return found.transpose(1, 0, 2)[None]

    def patches(self, items: Sequence[MapItem]) -> NDArray[np.float16]:
        """Patches of all pictures one after the other, (patches, groups, width)."""
        return np.concatenate([self.features(item)[0].transpose(1, 0, 2) for item in items])


@torch.no_grad()
def _encoded(encoder: FrozenEncoder, item: MapItem, scale: float, squeezed: int) -> NDArray[np.float16]:
    """Features (rows, columns, groups, width)."""
    picture = read_map(item.path)
    sides = (squeezed, squeezed) if squeezed else (round(scale * side) for side in picture.size)
    rows, columns = (max(1, round(side / encoder.patch)) for side in sides)
    encoder.set_grid((rows, columns))
    planes = torch.from_numpy(Resizing.whole(encoder.size).apply(picture.planes))
    features = encoder(planes[None])[0]
    found: NDArray[np.float16] = features.transpose(0, 1).half().numpy()
    return found.reshape(rows, columns, *found.shape[1:])


def _npy(values: NDArray[np.float16]) -> bytes:
    buffer = BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


def mask_of(item: MapItem, frame: tuple[int, int]) -> NDArray[np.bool_]:
    """Faulty pixels of a tile brought to ``frame``; a thin crack is narrower than a pixel of it."""
    if item.mask is None:
        return np.zeros(frame, bool)
    picture = cv2.imread(str(item.mask), cv2.IMREAD_GRAYSCALE)
    assert picture is not None, item.mask
    share = cv2.resize((picture > 0).astype(np.float32), frame[::-1], interpolation=cv2.INTER_AREA)
    return share > 0.25


def _number(item: MapItem) -> int:
    found = re.search(r"num_(\d+)", item.path.name)
    assert found is not None, item.path
    return int(found[1])
