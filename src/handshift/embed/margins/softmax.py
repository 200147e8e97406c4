"""The plain softmax of a linear layer (L1)."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from handshift.embed.margins.margin import Margin


class Softmax(Margin):
    """logit_j = w_j·x + b_j: neither weights nor features are brought to unit length, no margin, no scale."""

    raw: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__(1.0)

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """The product, as it is."""
        return cosine
