"""The softmax of cosines (L2)."""

from __future__ import annotations

from torch import Tensor

from handshift.embed.margins.margin import Margin


class NormalisedSoftmax(Margin):
    """logit_j = s·cos θ_j for every class, the target too: what all margins are at strength 0."""

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """The cosine, as it is."""
        return cosine
