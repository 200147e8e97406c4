"""Several centres for each class, so that noise and other hands can gather round a centre of their own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.cosines import cosines, lengths, take, widened_precision
from handshift.embedding.train.heads.head import Head, Scores
from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.terms import Angles, Term

POOLINGS = ("max", "softmax")


class SubCenter(Head):
    """cos θ_ij = pool_k x̂_i·ŵ_jk over K centres of class j; centres (K, classes, dimensions).

    max: the nearest centre (sub-center ArcFace). softmax: Σ_k p_k·c_k, with c_k = x̂·ŵ_jk and
    p = softmax(sharpness·c) (SoftTriple), by which every centre keeps a gradient.
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
            raise HandshiftError(f"A class needs at least one centre, and {centres} were asked for.")
        self.pooling, self.sharpness = pooling, sharpness
        # K stands first, so that pooling over it runs along whole rows of classes.
        self._make_centres(centres, classes)

    def directions(self) -> Tensor:
        """(classes, K, dimensions), unit rows."""
        return F.normalize(self.centres.detach(), dim=2).transpose(0, 1)

    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Every class, in order, each by its pooled centres."""
        norms = lengths(features)
        flat = self.centres.flatten(0, 1)  # (K·classes, dimensions)
        bias = None if self.bias is None else self.bias.flatten()
        apart = self._by_centre(self.products(features, norms, flat, bias))  # (batch, K, classes)
        others, target = take(self._pooled(apart), labels)
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
        centres = widened_precision(self.centres)
        own = F.normalize(centres[nearest, labels], dim=1)  # the centre each sample belongs to
        pooled = self._pooled(self._by_centre(cosines(own, centres.flatten(0, 1))))
        return angle(pooled).scatter(1, labels[:, None], 0.0).sum(dim=1) / (self.classes - 1)
