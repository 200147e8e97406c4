"""PatchCore on the features of the shipped encoder, as a detector of arrays of maps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from handshift.healthmap.baselines import PatchCore
from handshift.healthmap.encoder import FrozenEncoder, load_frozen_encoder
from handshift.healthmap.features import encode
from handshift.healthmap.framing import patches_along
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring

CORESET_SEED = 42


@dataclass(frozen=True)
class EncodedPatchCore:
    """A fitted PatchCore and the encoder of its features.

    Attributes:
        detector: The memory bank.
        encoder: With the grid of the maps.
    """

    detector: PatchCore
    encoder: FrozenEncoder

    @classmethod
    def fit(cls, maps: Any) -> EncodedPatchCore:
        """Fit to normal maps (N, H, W) that are in their unit."""
        encoder = _encoder(patches_along(maps.shape[1:]))
        return cls(PatchCore.fit(_features(encoder, maps), seed=CORESET_SEED), encoder)

    def scores(self, maps: Any) -> Any:
        """(B, H, W) → (B,)."""
        scoring = Scoring()
        distances = self.detector.batched_distances(_features(self.encoder, maps))
        framed = scoring.anomaly_maps(distances, self.encoder.grid, Resizing.whole(self.encoder.size))
        return scoring.scores(framed)


@cache
def _encoder(grid: tuple[int, int]) -> FrozenEncoder:
    torch.set_num_threads(1)
    return load_frozen_encoder(None, grid)


def _features(encoder: FrozenEncoder, maps: Any) -> Any:
    pictures = Resizing.whole(encoder.size).apply(np.asarray(maps, np.float32))[:, None]
    parts = [encode(encoder, torch.from_numpy(pictures[at : at + 64])) for at in range(0, len(maps), 64)]
    return np.concatenate(parts)
