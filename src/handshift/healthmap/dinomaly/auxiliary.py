"""A second question for the bottleneck: which domain does the map come from?"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


class DomainClassifier(nn.Module):
    """Cross entropy of a linear guess of the domain from the mean token (B, T, width).

    The source names an auxiliary classifier and leaves its question open; the domain is the one label that
    sound maps have. It is used in training only.
    """

    def __init__(self, width: int, domains: int) -> None:
        super().__init__()
        self.guess = nn.Linear(width, domains)

    def forward(self, tokens: Tensor, domains: Tensor) -> Tensor:
        """``domains`` (B,) are numbers."""
        return F.cross_entropy(self.guess(tokens.mean(dim=1)), domains)
