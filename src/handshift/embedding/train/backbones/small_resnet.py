"""Small ResNet with pooling over ink: the default backbone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.embedding.train.backbones.network import StagedNetwork


class Residual(nn.Module):
    """y = ReLU(x' + BN(conv(ReLU(BN(conv(x)))))), x' being x projected to y's shape."""

    def __init__(self, given: int, wanted: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(given, wanted, 3, stride, 1, bias=False),
            nn.BatchNorm2d(wanted),
            nn.ReLU(inplace=True),
            nn.Conv2d(wanted, wanted, 3, 1, 1, bias=False),
            nn.BatchNorm2d(wanted),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or given != wanted:
            self.shortcut = nn.Sequential(
                nn.AvgPool2d(stride), nn.Conv2d(given, wanted, 1, bias=False), nn.BatchNorm2d(wanted)
            )

    def forward(self, x: Tensor) -> Tensor:
        """(batch, given, h, w) → (batch, wanted, h/stride, w/stride)."""
        return F.relu(self.shortcut(x) + self.body(x))


class SmallResNet(StagedNetwork):
    """Stem, one stage for each further width, ink pooling of the last two stages, projection.

    Height and width of pictures must be multiples of 2^(number of widths).

    Args:
        widths: Channels of the stem and of each stage.
        dimensions: Length of the vector.
        dropout: Before the projection.
    """

    def __init__(
        self, widths: Sequence[int] = (24, 48, 96, 192), dimensions: int = 128, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 5, 2, 2, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True)
        )
        self.stages = nn.ModuleList(
            nn.Sequential(Residual(given, width, 2), Residual(width, width, 1))
            for given, width in pairwise(widths)
        )
        self.dropout = nn.Dropout(dropout)
        self.project = nn.Sequential(
            nn.Linear(2 * sum(widths[-2:]), dimensions, bias=False), nn.BatchNorm1d(dimensions)
        )
