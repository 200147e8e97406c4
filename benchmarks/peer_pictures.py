"""The pictures that both sides of maps_peer.py see: folders for ours, arrays for the peer."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file
from tile_pictures import parts_of

from handshift.healthmap.dataset import MapItem, iterate_maps, profile_maps, read_dataset
from handshift.healthmap.default_unit import default_unit
from handshift.healthmap.encoder import load_frozen_encoder
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import default_tokens, resizing_for
from handshift.healthmap.simulate.simulate_dataset import SimulatedRun
from handshift.healthmap.standardisation import Standardisation

GEARBOX = 7
"""Seed of the simulated gearbox, that of the studies."""
BLOCK = 5
"""Whose features are compared."""


@dataclass(frozen=True)
class Pictures:
    """One data set.

    Attributes:
        data: Folder of all maps.
        normal: The same without test maps.
        arrays: Folder with train.npy, test.npy and encoder.npz.
        labels: Of the test maps.
        domains: Of the test maps.
        features: A corner of the first test map's features of block 5.
    """

    data: Path
    normal: Path
    arrays: Path
    labels: list[int]
    domains: list[str]
    features: Any


def maps(home: Path, encoder: Path, train: int, test: int) -> Pictures:
    """Simulated maps of four domains, standardised."""
    SimulatedRun(train=train, test=test, seed=GEARBOX).write(home / "data")
    return _exported(home, encoder)


def tiles(home: Path, encoder: Path, data: Path, most: int) -> Pictures:
    """Magnetic tiles divided by tile, squeezed into squares by both sides."""
    parts = parts_of(data)
    chosen = {"train": parts["train"], "test": parts["report"]}
    for split, items in chosen.items():
        for item in items[:: max(1, len(items) // most)]:
            folder = home / "data" / split / (item.defect if item.label else "good")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / item.path.name).symlink_to(item.path.absolute())
    return _exported(home, encoder)


def _exported(home: Path, encoder: Path) -> Pictures:
    data, normal, arrays = home / "data", home / "normal", home / "arrays"
    shutil.copytree(data, normal, ignore=lambda _, names: {"test", "ground_truth", "truth.csv"} & set(names))
    dataset = read_dataset(data)
    profile = profile_maps(dataset.train)
    frozen = load_frozen_encoder(str(encoder), default_tokens(profile))
    unit = default_unit(data, profile)
    fitted = Standardisation.fit(iterate_maps(dataset.train)) if unit == "standard" else None
    resizing = resizing_for(profile, frozen.grid, frozen.patch)
    cache = FeatureCache(home / "unused", frozen, resizing, profile, unit, fitted)
    arrays.mkdir()
    for part, items in (("train", dataset.train), ("test", dataset.test)):
        pictures = cache.pictures(items)
        np.save(arrays / f"{part}.npy", np.broadcast_to(pictures, (len(pictures), 3, *pictures.shape[2:])))
    weights: dict[str, Any] = load_file(encoder / "model.safetensors")
    np.savez(arrays / "encoder.npz", **weights)
    features = _first_features(frozen, cache.pictures(dataset.test[:1]))
    return Pictures(data, normal, arrays, *_truth(dataset.test), features)


def _truth(items: tuple[MapItem, ...]) -> tuple[list[int], list[str]]:
    return [int(item.label) for item in items], [item.domain for item in items]


@torch.no_grad()
def _first_features(frozen: Any, pictures: Any) -> Any:
    """Tokens of the first patches after block 5, as the peer gives them."""
    hidden: dict[str, Any] = {}
    layers = frozen.encoder.encoder.layer
    hook = layers[BLOCK].register_forward_hook(
        lambda _module, _inputs, output: hidden.update(x=output[0] if isinstance(output, tuple) else output)
    )
    frozen(torch.from_numpy(pictures))
    hook.remove()
    return hidden["x"][0, 1:5, :8].numpy().astype(np.float64)
