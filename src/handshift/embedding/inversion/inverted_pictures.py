"""Pictures of one writer or vector by inversion of a trained network, and a sheet that shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from handshift.core.errors import HandshiftError
from handshift.embedding.inversion.search import Search, invert
from handshift.embedding.inversion.targets import class_loss, cosines, distance_loss, joint_loss
from handshift.embedding.train.load import TrainedNetwork

GAP = 6


def sheet(pictures: NDArray[np.uint8], columns: int = 4, least_height: int = 64) -> NDArray[np.uint8]:
    """(n, height, width) → one grey picture in rows of `columns`; small ones are enlarged."""
    factor = -(-least_height // pictures.shape[1])
    shown = [
        cv2.resize(255 - one, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC) for one in pictures
    ]
    height, width = shown[0].shape
    rows = -(-len(shown) // columns)
    page = np.full((rows * (height + GAP) + GAP, columns * (width + GAP) + GAP), 214, np.uint8)
    for number, one in enumerate(shown):
        y = GAP + number // columns * (height + GAP)
        x = GAP + number % columns * (width + GAP)
        page[y : y + height, x : x + width] = one
    return page


def png(page: NDArray[np.uint8]) -> bytes:
    """Encode the sheet as PNG."""
    return cv2.imencode(".png", page)[1].tobytes()


COMPANIONS = 12
"""Pictures of other writers in the batch: one hand alone does not have the batch statistics of all."""


@dataclass(frozen=True)
class InvertedPictures:
    """Pictures (n, height, width), 0 paper, 255 ink; the cosine each reaches; the nearest writer of each."""

    pictures: NDArray[np.uint8]
    cosines: NDArray[np.float32]
    nearest: tuple[str, ...]
    """Empty where the network has no class centres."""

    def summary(self) -> dict[str, Any]:
        """Return counts, cosines and nearest writers for JSON."""
        return {
            "pictures": len(self.pictures),
            "mean_cosine": round(float(self.cosines.mean()), 4),
            "cosines": [round(float(one), 4) for one in self.cosines],
            "nearest": list(self.nearest),
        }


def invert_writer(
    trained: TrainedNetwork,
    writer: int,
    count: int,
    search: Search,
    on_step: Callable[[int], None] = lambda step: None,
) -> InvertedPictures:
    """Invert a class centre (closed set).

    Args:
        trained: Trained with a margin loss.
        writer: Number of the class.
        count: Number of pictures.
        search: Settings.
        on_step: Called with the number of each finished step.

    Returns:
        The pictures and the cosines they reach to the centre.

    Raises:
        HandshiftError: The model was trained on pairs and has no centres.
    """
    if trained.head is None:
        raise HandshiftError(
            "the model was trained on pairs and has no class centres; give --embedding instead"
        )
    labels = torch.cat([torch.full((count,), writer), _others(trained, search.seed, writer)])
    target = class_loss(trained.head, labels)
    pictures = invert(trained.network, target, len(labels), trained.canvas, search, on_step)[:count]
    vectors = _vectors(trained, pictures)
    reached = cosines(vectors, trained.head.directions())[:, writer]
    return InvertedPictures(_as_bytes(pictures), reached.numpy(), _nearest(trained, vectors))


def invert_vector(
    trained: TrainedNetwork,
    vector: NDArray[np.floating],
    count: int,
    search: Search,
    on_step: Callable[[int], None] = lambda step: None,
) -> InvertedPictures:
    """Invert any vector (open set).

    Args:
        trained: The network that made the vector.
        vector: (dimensions,), of any length but 0.
        count: Number of pictures.
        search: Settings.
        on_step: Called with the number of each finished step.

    Returns:
        The pictures and the cosines they reach to the vector.

    Raises:
        HandshiftError: The vector does not fit the network.
    """
    row = np.asarray(vector, np.float32).reshape(-1)
    length = float(np.linalg.norm(row))
    if row.size != trained.network.dimensions or not np.isfinite(length) or not length:
        raise HandshiftError(
            f"the model's embeddings have {trained.network.dimensions} finite numbers, not all zero; "
            f"this one has {row.size}"
        )
    unit = torch.from_numpy(row / length)[None]
    others = _others(trained, search.seed) if trained.head is not None else torch.empty(0, dtype=torch.long)
    target = distance_loss(unit.expand(count, -1))
    if trained.head is not None:
        target = joint_loss(target, count, class_loss(trained.head, others), len(others))
    pictures = invert(trained.network, target, count + len(others), trained.canvas, search, on_step)[:count]
    vectors = _vectors(trained, pictures)
    return InvertedPictures(_as_bytes(pictures), (vectors @ unit[0]).numpy(), _nearest(trained, vectors))


def _others(trained: TrainedNetwork, seed: int, but: int | None = None) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(trained.writers), generator=generator)
    return order[order != but][:COMPANIONS] if but is not None else order[:COMPANIONS]


@torch.no_grad()
def _vectors(trained: TrainedNetwork, pictures: Tensor) -> Tensor:
    vectors: Tensor = trained.network(pictures)
    return vectors


def _nearest(trained: TrainedNetwork, vectors: Tensor) -> tuple[str, ...]:
    if trained.head is None:
        return ()
    found = cosines(vectors, trained.head.directions()[: len(trained.writers)]).argmax(dim=1)
    return tuple(trained.writers[at] for at in found.tolist())


def _as_bytes(pictures: Tensor) -> NDArray[np.uint8]:
    found: NDArray[np.uint8] = (255 * pictures[:, 0]).round().to(torch.uint8).numpy()
    return found
