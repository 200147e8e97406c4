"""Networks side by side, their vectors brought into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.embed.backbones.network import Network
from handshift.embed.joining.discriminant import Discriminant


class SideBySide(Network):
    """x = [x₁, x₂, …]: the unit vectors of all members in one row."""

    def __init__(self, members: Sequence[Network]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self.dimensions = sum(member.dimensions for member in members)

    def features(self, pictures: Tensor) -> Tensor:
        """(batch, 1, height, width) → (batch, sum of the members' dimensions)."""
        return torch.cat([member(pictures) for member in self.members], dim=1)


_ENOUGH_INK = 80
"""Inked columns from which on a word says all it can: some five letters."""


class Joined(Network):
    """y = A·(x − mean) of the members' row x, so that the directions in which writers differ count alike.

    The row's length is what the word has to say, √(inked columns / 80) and at most 1: of "a" even the best
    network hears little, and a short word that points astray must not look like another hand.
    """

    def __init__(self, together: SideBySide, discriminant: Discriminant) -> None:
        super().__init__()
        self.together = together
        given, self.dimensions = discriminant.axes.shape
        self.project = nn.Linear(given, self.dimensions)
        axes = torch.from_numpy(discriminant.axes.T.astype(np.float32))
        with torch.no_grad():
            self.project.weight.copy_(axes)
            self.project.bias.copy_(-axes @ torch.from_numpy(discriminant.mean.astype(np.float32)))

    def features(self, pictures: Tensor) -> Tensor:
        """(batch, 1, height, width) → raw (batch, dimensions)."""
        return self.project(self.together(pictures))

    def forward(self, pictures: Tensor) -> Tensor:
        """Rows of length at most 1."""
        inked = (pictures.amax(dim=(1, 2)) > 0).float().sum(dim=1, keepdim=True)  # (batch, 1)
        say = (inked / _ENOUGH_INK).clamp(0.0, 1.0).sqrt()
        return F.normalize(self.features(pictures), dim=1) * say
