"""Targets of an inversion: losses that pull pictures to class centres or to given vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npy
from handshift.embedding.inversion.search import FeatureLoss
from handshift.embedding.train.heads import Head


def read_vector(path: Path) -> NDArray[np.floating]:
    """Read one vector from an .npy file, or the mean of its rows; pickles are never opened.

    Raises:
        HandshiftError: The file is not an array of one or two axes of floating-point numbers.
    """
    try:
        found = read_npy(path)
    except LoadError as error:
        raise HandshiftError(f"{path}: not an .npy file of numbers") from error
    if found.dtype.kind != "f" or found.ndim not in (1, 2) or not found.size:
        raise HandshiftError(f"{path}: expected a vector, or rows of vectors, of floating-point numbers")
    mean: NDArray[np.floating] = found if found.ndim == 1 else found.mean(axis=0)
    return mean


PULL = 10.0
"""Weight of the squared distance, which is at most 4, relative to a cross-entropy."""


def class_loss(head: Head, labels: Tensor) -> FeatureLoss:
    """Closed set: the training's own loss with the pictures labelled as these classes (pictures,)."""

    def loss(features: Tensor) -> Tensor:
        return head.loss(features, labels.repeat(len(features) // len(labels)))

    return loss


def distance_loss(targets: Tensor) -> FeatureLoss:
    """Open set: mean ‖x̂_i − v_i‖² = 2 − 2·cos to unit rows v (pictures, dimensions), times `PULL`."""

    def loss(features: Tensor) -> Tensor:
        repeated = targets.repeat(len(features) // len(targets), 1)
        return PULL * (F.normalize(features, dim=1) - repeated).square().sum(dim=1).mean()

    return loss


def joint_loss(first: FeatureLoss, count: int, second: FeatureLoss, others: int) -> FeatureLoss:
    """Apply one loss to the first `count` pictures of every view and another to the `others` after them."""

    def loss(features: Tensor) -> Tensor:
        views = features.view(-1, count + others, features.shape[1])
        return first(views[:, :count].flatten(0, 1)) + second(views[:, count:].flatten(0, 1))

    return loss


def cosines(vectors: Tensor, directions: Tensor) -> Tensor:
    """Compute cosines to each class's nearest centre; directions (classes[, K], d) → (pictures, classes)."""
    if directions.ndim == 2:
        return vectors @ directions.T
    return torch.einsum("pd,ckd->pck", vectors, directions).amax(dim=2)
