"""Losses without a margin: the softmax of a linear layer (L1) and of cosines (L2)."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from handshift.embedding.train.margins.margin import Margin


class Softmax(Margin):
    """logit_j = w_j·x + b_j: neither weights nor features are normalised, no margin, no scale."""

    raw: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__(1.0)

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """Return the product unchanged."""
        return cosine


class NormalisedSoftmax(Margin):
    """logit_j = s·cos θ_j for every class, target included: every margin at strength 0."""

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """Return the cosine unchanged."""
        return cosine
