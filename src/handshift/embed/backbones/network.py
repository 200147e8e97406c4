"""What every network here offers, whatever it is built of."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


class Network(nn.Module):
    """Picture → vector. Losses read `features`, whose norms mean something; all else calls the network."""

    dimensions: int

    def features(self, pictures: Tensor) -> Tensor:
        """(batch, 1, height, width) in 0…1, 1 being ink → raw (batch, dimensions)."""
        raise NotImplementedError

    def forward(self, pictures: Tensor) -> Tensor:
        """The same, unit rows: what is exported."""
        return F.normalize(self.features(pictures), dim=1)
