"""The margin loss on single words and on groups of words of one page or writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.embedding.train.heads import Head


def pooled(features: Tensor, size: int) -> Tensor:
    """Mean of the unit rows of each `size` neighbours: (words, dimensions) → (words/size, dimensions)."""
    unit = F.normalize(features.float(), dim=1)
    return unit.view(-1, size, unit.shape[1]).mean(dim=1)


class GroupObjective(nn.Module):
    """L = L₁ + w·mean_g L_g: L₁ the margin loss of single words, L_g that of vectors pooled over g words.

    What is asked of a page is asked of pooled vectors; the mean of good word vectors is not the best that
    can be pooled, since what words share by their letters does not average out.
    """

    batches: Tensor
    """How many batches were learnt from."""

    def __init__(self, head: Head, groups: Sequence[int] = (2, 4), weight: float = 0.5) -> None:
        super().__init__()
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64))
        self.head, self.groups, self.weight = head, tuple(groups), weight

    def forward(
        self, features: Tensor, labels: Tensor, strength: float
    ) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """The loss of a batch.

        Args:
            features: (words, dimensions) raw; neighbours are of one page, and of one writer for at least
                the largest group.
            labels: (words,) classes.
            strength: The margin's share, 0 to 1.

        Returns:
            The loss, and its parts with the accuracy of single words among the classes they compete with.
        """
        self.head.margin.strength = strength
        if self.training:
            self.batches += 1
        single = self.head.loss(features, labels)
        values: dict[str, float | Tensor] = {"loss_words": single.detach()}
        loss = single
        for size in self.groups:
            of_groups = self.head.loss(pooled(features, size), labels[::size])
            loss = loss + self.weight / len(self.groups) * of_groups
            values[f"loss_{size}"] = of_groups.detach()
        values["accuracy"] = self._accuracy(features.detach(), labels)
        return loss, values

    @torch.no_grad()
    def _accuracy(self, features: Tensor, labels: Tensor) -> Tensor:
        scores = self.head.all_scores(features.float(), labels)
        return (scores.others.argmax(dim=1) == labels).float().mean()
