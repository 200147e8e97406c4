"""Sub-center ArcFace: K centres for each class, so that mislabelled samples form a centre of their own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.cosines import at_least_float32, cosines, row_norms, split_target
from handshift.embedding.train.heads.head import Head, Scores
from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.terms import Angles, Term

POOLINGS = ("max", "softmax")


class SubCenter(Head):
    """cos θ_ij = pool_k x̂_i·ŵ_jk over K centres of class j; centres (K, classes, dimensions).

    max: the nearest centre (sub-center ArcFace). softmax: Σ_k p_k·c_k, with c_k = x̂·ŵ_jk and
    p = softmax(sharpness·c) (SoftTriple), so that every centre receives a gradient.

    Args:
        classes: Number of classes.
        dimensions: Length of a feature.
        margin: Any margin.
        terms: Terms added to the cross-entropy.
        centres: K, centres of each class.
        pooling: max or softmax.
        sharpness: Inverse temperature of the softmax pooling.

    Raises:
        HandshiftError: Unknown pooling, or fewer than one centre.
    """

    def __init__(
        self,
        classes: int,
        dimensions: int,
        margin: Margin,
        terms: Sequence[Term] = (),
        centres: int = 3,
        pooling: str = "max",
        sharpness: float = 10.0,
    ) -> None:
        super().__init__(classes, dimensions, margin, terms)
        if pooling not in POOLINGS:
            raise HandshiftError(f"There is no pooling {pooling!r}. Choose one of: {', '.join(POOLINGS)}.")
        if centres < 1:
            raise HandshiftError(f"A class needs at least one centre, and {centres} were given.")
        self.pooling, self.sharpness = pooling, sharpness
        # K is the first axis, so that pooling over it reads contiguous rows of classes.
        self._make_centres(centres, classes)

    def directions(self) -> Tensor:
        """Return (classes, K, dimensions) unit rows."""
        return F.normalize(self.centres.detach(), dim=2).transpose(0, 1)

    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Compare with every class, in order, by its pooled centres."""
        norms = row_norms(features)
        flat = self.centres.flatten(0, 1)  # (K·classes, dimensions)
        bias = None if self.bias is None else self.bias.flatten()
        apart = self._by_centre(self.products(features, norms, flat, bias))  # (batch, K, classes)
        others, target = split_target(self._pooled(apart), labels)
        nearest = apart.detach()[torch.arange(len(labels), device=labels.device), :, labels].argmax(dim=1)
        return Scores(others, target, labels, norms, Angles(target, lambda: self._between(nearest, labels)))

    def _by_centre(self, products: Tensor) -> Tensor:
        return products.view(len(products), -1, self.classes)

    def _pooled(self, products: Tensor) -> Tensor:
        """(batch, K, classes) → (batch, classes)."""
        if self.pooling == "max":
            return products.max(dim=1).values
        return (torch.softmax(self.sharpness * products, dim=1) * products).sum(dim=1)

    def _between(self, nearest: Tensor, labels: Tensor) -> Tensor:
        centres = at_least_float32(self.centres)
        own = F.normalize(centres[nearest, labels], dim=1)  # the centre each sample belongs to
        pooled = self._pooled(self._by_centre(cosines(own, centres.flatten(0, 1))))
        return angle(pooled).scatter(1, labels[:, None], 0.0).sum(dim=1) / (self.classes - 1)
