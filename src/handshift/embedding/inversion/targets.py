"""A vector from a file.

What the searched pictures are to be taken for.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npy
from handshift.embedding.inversion.search import Aim
from handshift.embedding.train.heads import Head


def read_vector(path: Path) -> NDArray[np.floating]:
    """One vector, or the mean of several unit rows; pickles are not opened, for they could run code."""
    try:
        found = read_npy(path)
    except LoadError as error:
        raise HandshiftError(f"{path}: not an .npy file of numbers") from error
    if found.dtype.kind != "f" or found.ndim not in (1, 2) or not found.size:
        raise HandshiftError(f"{path}: a vector, or rows of vectors, of floating-point numbers is wanted")
    mean: NDArray[np.floating] = found if found.ndim == 1 else found.mean(axis=0)
    return mean


PULL = 10.0
"""Weight of the distance to a vector, which is at most 4, beside a cross-entropy."""


def as_classes(head: Head, labels: Tensor) -> Aim:
    """Closed set: the training's own loss, as if the pictures were by these classes (pictures,)."""

    def aim(features: Tensor) -> Tensor:
        return head.loss(features, labels.repeat(len(features) // len(labels)))

    return aim


def as_vectors(targets: Tensor) -> Aim:
    """Open set: mean ‖x̂_i − v_i‖² = 2 − 2·cos to unit rows v (pictures, dimensions), times `PULL`."""

    def aim(features: Tensor) -> Tensor:
        wanted = targets.repeat(len(features) // len(targets), 1)
        return PULL * (F.normalize(features, dim=1) - wanted).square().sum(dim=1).mean()

    return aim


def side_by_side(first: Aim, count: int, second: Aim, others: int) -> Aim:
    """The first `count` pictures of every view by one aim, the `others` after them by another."""

    def aim(features: Tensor) -> Tensor:
        views = features.view(-1, count + others, features.shape[1])
        return first(views[:, :count].flatten(0, 1)) + second(views[:, count:].flatten(0, 1))

    return aim


def cosines(vectors: Tensor, directions: Tensor) -> Tensor:
    """(pictures, classes): to each class's nearest centre; directions (classes[, K], dimensions)."""
    if directions.ndim == 2:
        return vectors @ directions.T
    return torch.einsum("pd,ckd->pck", vectors, directions).amax(dim=2)
