"""Found pictures on one sheet, ink dark on white paper.

Several pictures of one hand, as a trained network sees it.
"""

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
from handshift.embedding.inversion.targets import as_classes, as_vectors, cosines, side_by_side
from handshift.embedding.train.load import Trained

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
    """The sheet as a file's content."""
    return cv2.imencode(".png", page)[1].tobytes()


COMPANIONS = 12
"""Pictures of other writers searched for beside: one hand alone has not the statistics of all hands."""


@dataclass(frozen=True)
class Portrait:
    """Pictures (n, height, width), 0 paper, 255 ink; the cosine each reaches; who the network says it is."""

    pictures: NDArray[np.uint8]
    cosines: NDArray[np.float32]
    nearest: tuple[str, ...]
    """Empty where the network has no class centres."""

    def summary(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "pictures": len(self.pictures),
            "mean_cosine": round(float(self.cosines.mean()), 4),
            "cosines": [round(float(one), 4) for one in self.cosines],
            "nearest": list(self.nearest),
        }


def of_writer(
    trained: Trained, writer: int, count: int, search: Search, told: Callable[[int], None] = lambda step: None
) -> Portrait:
    """Closed set: what the class centre stands for."""
    if trained.head is None:
        raise HandshiftError(
            "the model was trained on pairs and has no class centres; give --embedding instead"
        )
    labels = torch.cat([torch.full((count,), writer), _others(trained, search.seed, writer)])
    aim = as_classes(trained.head, labels)
    pictures = invert(trained.network, aim, len(labels), trained.canvas, search, told)[:count]
    vectors = _vectors(trained, pictures)
    reached = cosines(vectors, trained.head.directions())[:, writer]
    return Portrait(_as_bytes(pictures), reached.numpy(), _nearest(trained, vectors))


def of_vector(
    trained: Trained,
    vector: NDArray[np.floating],
    count: int,
    search: Search,
    told: Callable[[int], None] = lambda step: None,
) -> Portrait:
    """Open set: what lies at this place among the vectors, whoever wrote it."""
    wanted = np.asarray(vector, np.float32).reshape(-1)
    length = float(np.linalg.norm(wanted))
    if wanted.size != trained.network.dimensions or not np.isfinite(length) or not length:
        raise HandshiftError(
            f"an embedding of {trained.network.dimensions} finite numbers, not all zero, is wanted; "
            f"this one has {wanted.size}"
        )
    target = torch.from_numpy(wanted / length)[None]
    others = _others(trained, search.seed) if trained.head is not None else torch.empty(0, dtype=torch.long)
    aim = as_vectors(target.expand(count, -1))
    if trained.head is not None:
        aim = side_by_side(aim, count, as_classes(trained.head, others), len(others))
    pictures = invert(trained.network, aim, count + len(others), trained.canvas, search, told)[:count]
    vectors = _vectors(trained, pictures)
    return Portrait(_as_bytes(pictures), (vectors @ target[0]).numpy(), _nearest(trained, vectors))


def _others(trained: Trained, seed: int, but: int | None = None) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(trained.writers), generator=generator)
    return order[order != but][:COMPANIONS] if but is not None else order[:COMPANIONS]


@torch.no_grad()
def _vectors(trained: Trained, pictures: Tensor) -> Tensor:
    vectors: Tensor = trained.network(pictures)
    return vectors


def _nearest(trained: Trained, vectors: Tensor) -> tuple[str, ...]:
    if trained.head is None:
        return ()
    found = cosines(vectors, trained.head.directions()[: len(trained.writers)]).argmax(dim=1)
    return tuple(trained.writers[at] for at in found.tolist())


def _as_bytes(pictures: Tensor) -> NDArray[np.uint8]:
    found: NDArray[np.uint8] = (255 * pictures[:, 0]).round().to(torch.uint8).numpy()
    return found
