"""Simulated maps and their features, made once and shared by all runs of the studies on maps."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.healthmap.dataset import MapDataset, MapItem, MapProfile, framed, read_dataset, survey
from handshift.healthmap.encoder.frozen import FrozenEncoder, frozen_encoder
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import Framing, default_tokens, resizing_for
from handshift.healthmap.maps import Floats
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.units import Unit
from handshift.lock import locked

CACHE = "HANDSHIFT_CACHE"
"""Where maps and features are kept; the folder `cache` if it is not set."""
PATIENCE = 3600.0  # seconds: another run may be computing the same features
HELD = 0.25
"""Share of normal maps that set thresholds: the last of each condition, since the cold come first."""


class MapsData(BaseModel):
    """Which maps, and what the encoder is shown of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    train: int = Field(default=320, ge=8, description="normal maps of each domain, a quarter held back")
    test: int = Field(default=200, ge=2, description="normal and as many faulty maps of each domain")
    seed: int = Field(default=7, ge=0)
    gain_shift: bool = Field(default=True, description="whether the fault run is louder as a whole")
    encoder: str | None = Field(default=None, description="maps-1 if not given")
    random_weights: bool = Field(default=False, description="the same encoder, untrained")
    framing: Framing = "circular"
    unit: Unit = "domain"

    def simulated(self) -> str:
        """Identity of the maps alone."""
        return _digest(self.model_dump_json(include={"train", "test", "seed", "gain_shift"}))

    def fingerprint(self) -> str:
        """Identity of maps and features."""
        return _digest(self.model_dump_json())


@dataclass(frozen=True)
class MapFeatures:
    """The parts of a data set: items, features, and the maps themselves for detectors that want pixels."""

    parts: dict[str, tuple[MapItem, ...]]
    features: dict[str, NDArray[np.float16]]
    maps: dict[str, Floats]
    """(N, 31, 95)."""
    grid: tuple[int, int]
    resizing: Resizing


@lru_cache(maxsize=4)  # a worker runs many variants on the same maps
def prepared(data: MapsData) -> MapFeatures:
    """Simulate and encode what is not yet there."""
    root = Path(os.environ.get(CACHE, "cache")) / "maps"
    home = root / data.simulated()
    with locked(root / f"lock-{data.simulated()}", patience=PATIENCE):
        if not (home / "about.json").is_file():
            _simulate(data, home)
        dataset = read_dataset(home)
        profile = survey(dataset.train)
        encoder, resizing = _encoder(data, profile)
        parts = _divided(dataset)
        features = {}
        for name, items in parts.items():
            folder = root / f"features-{data.fingerprint()}" / name
            features[name] = FeatureCache(folder, encoder, resizing, profile, data.unit).features(items)
    whole = Resizing.whole(profile.size or (1, 1))
    maps = {name: framed(items, whole, profile)[:, 0] for name, items in parts.items()}
    return MapFeatures(parts, features, maps, encoder.grid, resizing)


def _simulate(data: MapsData, home: Path) -> None:
    from handshift.healthmap.simulate.map_model import FaultSpec
    from handshift.healthmap.simulate.run import SimulatedRun

    fault = FaultSpec(gain_shift=data.gain_shift)
    SimulatedRun(train=data.train, test=data.test, seed=data.seed, fault=fault).write(home)


def _encoder(data: MapsData, profile: MapProfile) -> tuple[FrozenEncoder, Resizing]:
    tokens = default_tokens(profile)
    encoder = frozen_encoder(data.encoder, tokens)
    if data.random_weights:
        torch.manual_seed(0)
        for module in encoder.encoder.modules():
            if isinstance(module, torch.nn.Linear | torch.nn.Conv2d):
                torch.nn.init.trunc_normal_(module.weight, std=module.weight[0].numel() ** -0.5)
    return encoder, resizing_for(profile, tokens, encoder.patch, data.framing)


def _divided(dataset: MapDataset) -> dict[str, tuple[MapItem, ...]]:
    """Hold back the last quarter of the cold and of the warm maps; the run's own last tenth is all warm."""
    learned: list[MapItem] = []
    held: list[MapItem] = []
    normal = [*dataset.train, *dataset.validation]
    for key in sorted({_condition(item) for item in normal}):
        own = sorted((item for item in normal if _condition(item) == key), key=lambda item: item.path.name)
        keep = len(own) - max(1, round(HELD * len(own)))
        learned += own[:keep]
        held += own[keep:]
    return {"train": tuple(learned), "validation": tuple(held), "test": dataset.test}


def _condition(item: MapItem) -> tuple[str, str]:
    return item.domain, item.path.stem.rpartition("-")[2]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
