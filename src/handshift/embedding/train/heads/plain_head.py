"""Plain head: one centre for each class."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.embedding.train.heads.cosines import at_least_float32, cosines, row_norms, split_target
from handshift.embedding.train.heads.head import Head, Scores
from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.terms import Angles, Term


class Plain(Head):
    """cos θ_ij = x̂_i·ŵ_j, one centre w_j for each class j; centres (classes, dimensions).

    Args:
        classes: Number of classes.
        dimensions: Length of a feature.
        margin: Any margin.
        terms: Terms added to the cross-entropy.
    """

    def __init__(self, classes: int, dimensions: int, margin: Margin, terms: Sequence[Term] = ()) -> None:
        super().__init__(classes, dimensions, margin, terms)
        self._make_centres(classes)

    def directions(self) -> Tensor:
        """Return (classes, dimensions) unit rows."""
        return F.normalize(self.centres.detach(), dim=1)

    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Compare with every class, in order."""
        norms = row_norms(features)
        products = self.products(features, norms, self.centres, self.bias)  # (batch, classes)
        others, target = split_target(products, labels)
        return Scores(others, target, labels, norms, Angles(target, lambda: self._between(labels)))

    def _between(self, labels: Tensor) -> Tensor:
        centres = at_least_float32(self.centres)
        apart = angle(cosines(F.normalize(centres[labels], dim=1), centres))  # (batch, classes)
        return apart.scatter(1, labels[:, None], 0.0).sum(dim=1) / (self.classes - 1)
