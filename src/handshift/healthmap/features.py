"""What a frozen encoder says of each map, kept: training and every other detector read it from there."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.core.loaders import map_npy, read_json_object
from handshift.healthmap.dataset import MapItem, MapProfile, framed
from handshift.healthmap.encoder import FrozenEncoder
from handshift.healthmap.maps import Floats
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.units import Unit, in_unit

log = logging.getLogger(__name__)
Features = NDArray[np.float16]
ABOUT, ARRAY = "features.json", "features.npy"
_BATCH = 16


@dataclass(frozen=True)
class FeatureCache:
    """A folder of fused features, (maps, 2, tokens, width) in half precision, and what they were made of.

    Only the two group means are kept: the decoder's input is their mean, so nothing else is ever read.
    """

    folder: Path
    encoder: FrozenEncoder
    resizing: Resizing
    profile: MapProfile
    unit: Unit = "domain"

    def features(self, items: Sequence[MapItem], advance: Callable[[], object] | None = None) -> Features:
        """Memory-mapped features of ``items``, computed now if they are not there or no longer fit."""
        wanted = self.identity(items)
        found = self._found()
        if found == wanted:
            return self._opened()
        if found is not None:
            changed = ", ".join(key for key in wanted if found.get(key) != wanted[key])
            log.warning("%s: the kept features are out of date (%s changed); made anew", self.folder, changed)
        self._make(items, advance)
        write_text(self.folder / ABOUT, json.dumps(wanted, indent=1))
        return self._opened()

    def pictures(self, items: Sequence[MapItem], advance: Callable[[], object] | None = None) -> Floats:
        """What the encoder is shown: (maps, channels, *frame), in the chosen unit."""
        pictures = framed(items, self.resizing, self.profile, advance)
        for picture, item in zip(pictures, items, strict=True):
            picture[:] = in_unit(picture, self.profile, item.domain, self.unit)
        return pictures

    def _make(self, items: Sequence[MapItem], advance: Callable[[], object] | None) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / ABOUT).unlink(missing_ok=True)  # from here on the array promises nothing
        tokens = self.encoder.grid[0] * self.encoder.grid[1]
        partial = self.folder / f"{ARRAY}.partial"
        shape = (len(items), len(self.encoder.groups), tokens, self.encoder.width)
        kept = np.lib.format.open_memmap(partial, "w+", np.float16, shape)
        for start in range(0, len(items), _BATCH):
            pictures = torch.from_numpy(self.pictures(items[start : start + _BATCH], advance))
            kept[start : start + _BATCH] = encoded(self.encoder, pictures)
        kept.flush()
        partial.replace(self.folder / ARRAY)

    def _opened(self) -> Features:
        kept: Features = map_npy(self.folder / ARRAY)
        return kept

    def _found(self) -> dict[str, str] | None:
        path = self.folder / ABOUT
        if not path.is_file() or not (self.folder / ARRAY).is_file():
            return None
        known: dict[str, str] = read_json_object(path)
        return known

    def identity(self, items: Sequence[MapItem]) -> dict[str, str]:
        """All that decides the features of ``items``: encoder, resizing, units, and the files' content."""
        files = hashlib.sha256()
        for item in items:
            files.update(item.domain.encode() + b"\0" + hashlib.sha256(item.path.read_bytes()).digest())
        return {
            "encoder": self.encoder.fingerprint(),
            "resizing": self.resizing.model_dump_json(),
            "unit": self.unit,
            "training values": self.profile.model_dump_json(),
            "maps": f"{len(items)} files, {files.hexdigest()[:16]}",
        }


@torch.no_grad()
def encoded(encoder: FrozenEncoder, pictures: torch.Tensor) -> NDArray[np.float32]:
    """Features of a batch of pictures."""
    features: NDArray[np.float32] = encoder(pictures).numpy()
    return features
