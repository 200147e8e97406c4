"""Maps of the studies and their features, computed once and shared by all runs."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
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
WEIGHTS = "model.safetensors"
"""File in which `transformers` stores an encoder."""
VALIDATION_SHARE = 0.25
"""Of the normal maps, for thresholds; larger than the default, so that 5 % false alarms are four of 80."""


_ADDED = {"fault", "size", "row_correlation", "class_tokens"}
"""Fields that older results do not have."""


MAPS_FIELDS = {"folder", "train", "test", "seed", "gain_shift", "fault", "size", "row_correlation"}
"""Fields of `MapsData` that decide the maps; the others are of encoder and scaling."""


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

    def maps_alone(self) -> MapsData:
        """The same maps with the default encoder and scaling."""
        other = set(type(self).model_fields) - MAPS_FIELDS
        return self.model_copy(update={name: type(self).model_fields[name].default for name in other})

    def maps_identity(self) -> str:
        """Identity of the maps alone."""
        if self.folder is not None:
            return digest(_content(self.folder))
        return digest(self._json(MAPS_FIELDS - {"folder"}))

    def fingerprint(self) -> str:
        """Identity of maps and features; an encoder in a folder counts by its weights, wherever it lies."""
        own = _content(self.folder) if self.folder is not None else ""
        fields = set(type(self).model_fields) - {"folder"}
        weights = Path(self.encoder or "") / WEIGHTS
        if self.encoder is not None and weights.is_file():
            own += _file_hash(weights)
            fields -= {"encoder"}
        return digest(self._json(fields) + own)

    def _json(self, fields: set[str]) -> str:
        """The fields as JSON; those added later only where they are set, so that older results stay valid."""
        unset = {name for name in _ADDED if getattr(self, name) == type(self).model_fields[name].default}
        return self.model_dump_json(include=fields - unset)


@dataclass(frozen=True)
class StudyMaps:
    """The parts of a data set: items, and the maps themselves for pixel detectors."""

    parts: dict[str, tuple[MapItem, ...]]
    """train, validation (thresholds), test."""
    profile: MapProfile

    @cached_property
    def maps(self) -> dict[str, Floats]:
        """The maps of each part, (N, 31, 95); most runs need features alone, and these are never read."""
        whole = Resizing.whole(self.profile.size or (1, 1))
        return {name: load_resized(items, whole, self.profile)[:, 0] for name, items in self.parts.items()}


@dataclass(frozen=True)
class MapFeatures:
    """Features of the parts of a data set."""

    features: dict[str, NDArray[np.float16]]
    grid: tuple[int, int]
    resizing: Resizing
    prefix: int
    """Class and register tokens before the patches in `features`."""
    training_identity: dict[str, str]
    """Identity of the training features, shared by variants that differ only in test maps or thresholds."""


def cache_folder() -> Path:
    """Folder of the maps, features and decoders that runs share."""
    return Path(os.environ.get(CACHE, "cache")) / "maps"


def prepare_maps(data: MapsData) -> StudyMaps:
    """Simulate maps that are not in the cache, and list them.

    Args:
        data: The maps; encoder and scaling make no difference.

    Returns:
        Items and, once they are asked for, maps of all parts.
    """
    return _read_maps(data.maps_alone())


@lru_cache(maxsize=2)  # a worker runs many variants on the same maps
def _read_maps(data: MapsData) -> StudyMaps:
    root = cache_folder()
    home = data.folder or root / data.maps_identity()
    with locked(root / f"lock-{data.maps_identity()}", patience=PATIENCE):
        if data.folder is None and not (home / "about.json").is_file():
            _simulate(data, home)
    dataset = read_dataset(home, VALIDATION_SHARE)
    profile = profile_maps(dataset.train)
    parts = {"train": dataset.train, "validation": dataset.validation, "test": dataset.test}
    return StudyMaps(parts, profile)


@lru_cache(maxsize=4)
def prepare(data: MapsData) -> MapFeatures:
    """Encode maps whose features are not in the cache.

    Args:
        data: Maps, encoder and scaling.

    Returns:
        Features of all parts.
    """
    found = prepare_maps(data)
    train = found.parts["train"]
    encoder, resizing = _encoder(data, found.profile)
    fitted = Standardisation.fit(iterate_maps(train)) if data.unit == "standard" else None
    cache = FeatureCache(cache_folder(), encoder, resizing, found.profile, data.unit, fitted)
    features = {name: _part_features(cache, items) for name, items in found.parts.items()}
    return MapFeatures(features, encoder.grid, resizing, encoder.prefix, cache.identity(train))


def _part_features(cache: FeatureCache, items: tuple[MapItem, ...]) -> NDArray[np.float16]:
    """Features of one part, kept by the content of its maps, normal and faulty ones apart.

    Gearboxes with the same seed have the same normal maps whatever their fault: those are encoded once.
    """
    labels = np.array([item.label for item in items])
    found: NDArray[np.float16] | None = None
    for label in np.unique(labels):
        own = [item for item in items if item.label == label]
        folder = cache.folder / f"features-{digest(json.dumps(cache.identity(own)))}"
        with locked(cache.folder / f"lock-{folder.name}", patience=PATIENCE):
            part = replace(cache, folder=folder).features(own)
        if len(own) == len(items):
            return part
        found = np.empty((len(items), *part.shape[1:]), np.float16) if found is None else found
        found[labels == label] = part
    assert found is not None, "a part without maps"
    return found


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


@lru_cache(maxsize=16)
def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(text: str) -> str:
    """Short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
