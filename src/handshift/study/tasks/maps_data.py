"""Maps of the studies and their features, computed once and shared by all runs."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.core.folder_lock import locked
from handshift.healthmap.dataset import (
    MapItem,
    MapProfile,
    iterate_maps,
    load_resized,
    profile_maps,
    read_dataset,
)
from handshift.healthmap.encoder import FrozenEncoder, load_frozen_encoder
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import MapFraming, default_tokens, resizing_for
from handshift.healthmap.health_map import Floats
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.standardisation import Standardisation
from handshift.healthmap.units import Unit

CACHE = "HANDSHIFT_CACHE"
"""Environment variable with the folder of cached maps and features; the folder `cache` if it is not set."""
PATIENCE = 3600.0  # seconds: another run may be computing the same features
VALIDATION_SHARE = 0.25
"""Of the normal maps, for thresholds; larger than the default, so that 5 % false alarms are four of 80."""


_ADDED = {"fault", "size", "row_correlation", "class_tokens"}
"""Fields that older results do not have."""


class MapsData(BaseModel):
    """Simulated maps, or a folder of one's own, and encoder and scaling of one variant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Path | None = Field(default=None, description="a data set instead of simulated maps")
    train: int = Field(default=320, ge=8, description="normal maps of each domain, a quarter held out")
    test: int = Field(default=200, ge=2, description="normal and as many faulty maps of each domain")
    seed: int = Field(default=7, ge=0)
    gain_shift: bool = Field(default=True, description="whether the fault run's level is shifted")
    fault: FaultKind = Field(default=FaultKind.PLANET, description="gear with the broken tooth")
    size: float = Field(default=1.0, gt=0, description="of the fault, 1 as published")
    row_correlation: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="of a tooth's level between maps; None: 0",
    )
    encoder: str | None = Field(default=None, description="maps-1 if not given")
    random_weights: bool = Field(default=False, description="the same encoder without pretraining")
    class_tokens: bool = Field(
        default=False, description="keep class and register tokens, for the recipe's class_tokens"
    )
    framing: MapFraming = "circular"
    unit: Unit = "domain"

    def maps_identity(self) -> str:
        """Identity of the maps alone."""
        if self.folder is not None:
            return digest(_content(self.folder))
        maps = {"train", "test", "seed", "gain_shift", "fault", "size", "row_correlation"}
        return digest(self._json(maps))

    def fingerprint(self) -> str:
        """Identity of maps and features."""
        own = _content(self.folder) if self.folder is not None else ""
        return digest(self._json(set(type(self).model_fields) - {"folder"}) + own)

    def _json(self, fields: set[str]) -> str:
        """The fields as JSON; those added later only where they are set, so that older results stay valid."""
        unset = {name for name in _ADDED if getattr(self, name) == type(self).model_fields[name].default}
        return self.model_dump_json(include=fields - unset)


@dataclass(frozen=True)
class MapFeatures:
    """The parts of a data set: items, features, and the maps themselves for pixel detectors."""

    parts: dict[str, tuple[MapItem, ...]]
    features: dict[str, NDArray[np.float16]]
    maps: dict[str, Floats]
    """(N, 31, 95)."""
    grid: tuple[int, int]
    resizing: Resizing
    prefix: int
    """Class and register tokens before the patches in `features`."""
    training_identity: dict[str, str]
    """Identity of the training features, shared by variants that differ only in test maps or thresholds."""


def cache_folder() -> Path:
    """Folder of the maps, features and decoders that runs share."""
    return Path(os.environ.get(CACHE, "cache")) / "maps"


@lru_cache(maxsize=4)  # a worker runs many variants on the same maps
def prepare(data: MapsData) -> MapFeatures:
    """Simulate and encode maps that are not in the cache.

    Args:
        data: Maps, encoder and scaling.

    Returns:
        Items, features and maps of all parts.
    """
    root = cache_folder()
    home = data.folder or root / data.maps_identity()
    with locked(root / f"lock-{data.maps_identity()}", patience=PATIENCE):
        if data.folder is None and not (home / "about.json").is_file():
            _simulate(data, home)
        dataset = read_dataset(home, VALIDATION_SHARE)
        profile = profile_maps(dataset.train)
        encoder, resizing = _encoder(data, profile)
        standardisation = (
            Standardisation.fit(iterate_maps(dataset.train)) if data.unit == "standard" else None
        )
        parts = {"train": dataset.train, "validation": dataset.validation, "test": dataset.test}
        caches = {
            name: FeatureCache(
                root / f"features-{data.fingerprint()}" / name,
                encoder,
                resizing,
                profile,
                data.unit,
                standardisation,
            )
            for name in parts
        }
        features = {name: cache.features(parts[name]) for name, cache in caches.items()}
        training_identity = caches["train"].identity(dataset.train)
    whole = Resizing.whole(profile.size or (1, 1))
    maps = {name: load_resized(items, whole, profile)[:, 0] for name, items in parts.items()}
    return MapFeatures(parts, features, maps, encoder.grid, resizing, encoder.prefix, training_identity)


def _simulate(data: MapsData, home: Path) -> None:
    from handshift.healthmap.simulate.map_model import FaultSpec
    from handshift.healthmap.simulate.parameters import MapSimulation
    from handshift.healthmap.simulate.simulate_dataset import SimulatedRun

    fault = FaultSpec(data.fault, (data.size,), data.gain_shift)
    parameters = MapSimulation.published()
    if data.row_correlation is not None:
        parameters = parameters.model_copy(update={"row_correlation": data.row_correlation})
    run = SimulatedRun(data.train, data.test, data.seed, fault=fault, parameters=parameters)
    run.write(home)


def _encoder(data: MapsData, profile: MapProfile) -> tuple[FrozenEncoder, Resizing]:
    tokens = default_tokens(profile)
    encoder = load_frozen_encoder(data.encoder, tokens, data.class_tokens)
    if data.random_weights:
        torch.manual_seed(0)
        for module in encoder.encoder.modules():
            if isinstance(module, torch.nn.Linear | torch.nn.Conv2d):
                torch.nn.init.trunc_normal_(module.weight, std=module.weight[0].numel() ** -0.5)
    return encoder, resizing_for(profile, tokens, encoder.patch, data.framing)


@lru_cache(maxsize=16)
def _content(folder: Path) -> str:
    """Identity of a data set: labels and content of all its maps."""
    dataset = read_dataset(folder, VALIDATION_SHARE)
    items = (*dataset.train, *dataset.validation, *dataset.test)
    return json.dumps(
        [(item.domain, item.defect, hashlib.sha256(item.path.read_bytes()).hexdigest()) for item in items]
    )


def digest(text: str) -> str:
    """Short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
