"""Cache of encoder features on disk, computed once and memory-mapped by training and every detector."""

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
from handshift.healthmap.dataset import MapItem, MapProfile, load_resized
from handshift.healthmap.encoder import FrozenEncoder
from handshift.healthmap.health_map import Floats
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.standardisation import Standardisation
from handshift.healthmap.units import MapScaling, Unit

log = logging.getLogger(__name__)
Features = NDArray[np.float16]
IDENTITY, ARRAY, PROGRESS = "features.json", "features.npy", "features.progress.json"
_BATCH = 16


@dataclass(frozen=True)
class FeatureCache:
    """A folder with the features of a list of maps, (maps, 2, tokens, width) in float16, and their identity.

    Only the two group means are stored: the decoder's input is their mean, so nothing else is read.

    Attributes:
        folder: Where the features are stored.
        encoder: Computes them.
        resizing: From maps to pictures.
        profile: Of the training maps.
        unit: Scaling of the pictures.
        standardisation: For the unit ``standard``.
    """

    folder: Path
    encoder: FrozenEncoder
    resizing: Resizing
    profile: MapProfile
    unit: Unit = "domain"
    standardisation: Standardisation | None = None

    def features(self, items: Sequence[MapItem], advance: Callable[[], object] | None = None) -> Features:
        """Memory-mapped features of ``items``, computed if they are missing or out of date.

        Args:
            items: The maps.
            advance: Called after each map that is read, to move a progress bar.

        Returns:
            Features, (maps, 2, tokens, width).

        Raises:
            MapError: A map cannot be read or does not match the profile.
        """
        expected = self.identity(items)
        stored = self._stored_identity()
        if stored == expected:
            return self._open()
        if stored is not None:
            changed = ", ".join(key for key in expected if stored.get(key) != expected[key])
            log.warning(
                "%s: the cached features are out of date (%s changed); computing them again",
                self.folder, changed,
            )  # fmt: skip
        self._compute(items, expected, advance)
        write_text(self.folder / IDENTITY, json.dumps(expected, indent=1))
        return self._open()

    def pictures(self, items: Sequence[MapItem], advance: Callable[[], object] | None = None) -> Floats:
        """Input of the encoder: resized and scaled maps, (maps, channels, *frame)."""
        scaling = MapScaling(self.unit, self.profile, self.standardisation)
        return load_resized(items, self.resizing, self.profile, advance, scaling.picture)

    def _compute(
        self, items: Sequence[MapItem], identity: dict[str, str], advance: Callable[[], object] | None
    ) -> None:
        """Encode batch by batch; an interrupted call is continued after its last whole batch."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / IDENTITY).unlink(missing_ok=True)  # an interrupted run must not look complete
        partial, progress = self.folder / f"{ARRAY}.partial", self.folder / PROGRESS
        shape = (len(items), len(self.encoder.groups), self.encoder.tokens, self.encoder.width)
        done = self._batches_done(identity)
        if done == 0:
            np.lib.format.open_memmap(partial, "w+", np.float16, shape).flush()
        stored = np.lib.format.open_memmap(partial, "r+")
        for start in range(done * _BATCH, len(items), _BATCH):
            pictures = torch.from_numpy(self.pictures(items[start : start + _BATCH], advance))
            stored[start : start + _BATCH] = encode(self.encoder, pictures)
            stored.flush()
            write_text(progress, json.dumps({"identity": identity, "batches": start // _BATCH + 1}))
        partial.replace(self.folder / ARRAY)
        progress.unlink(missing_ok=True)

    def _batches_done(self, identity: dict[str, str]) -> int:
        """Whole batches that an interrupted call has left of the same features."""
        path = self.folder / PROGRESS
        if not path.is_file() or not (self.folder / f"{ARRAY}.partial").is_file():
            return 0
        left = read_json_object(path)
        return int(left["batches"]) if left.get("identity") == identity else 0

    def _open(self) -> Features:
        stored: Features = map_npy(self.folder / ARRAY)
        return stored

    def _stored_identity(self) -> dict[str, str] | None:
        path = self.folder / IDENTITY
        if not path.is_file() or not (self.folder / ARRAY).is_file():
            return None
        identity: dict[str, str] = read_json_object(path)
        return identity

    def identity(self, items: Sequence[MapItem]) -> dict[str, str]:
        """All that determines the features of ``items``: encoder, resizing, unit, and the files' content."""
        files = hashlib.sha256()
        for item in items:
            files.update(item.domain.encode() + b"\0" + hashlib.sha256(item.path.read_bytes()).digest())
        fitted = {"standardisation": self.standardisation.fingerprint()} if self.standardisation else {}
        return {
            "encoder": self.encoder.fingerprint(),
            "resizing": self.resizing.model_dump_json(
                exclude=None if self.resizing.keep_shape else {"keep_shape"}
            ),
            "unit": self.unit,
            **fitted,
            "training values": self.profile.model_dump_json(),
            "maps": f"{len(items)} files, {files.hexdigest()[:16]}",
        }


@torch.no_grad()
def encode(encoder: FrozenEncoder, pictures: torch.Tensor) -> NDArray[np.float32]:
    """Features of a batch of pictures, (B, channels, *frame) → (B, 2, tokens, width)."""
    features: NDArray[np.float32] = encoder(pictures).numpy()
    return features
