"""The margin loss on words and on groups of them of one page or writer, and a triplet loss on pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.embedding.train.heads.within import Within
from handshift.embedding.train.pair_losses import Triplet
from handshift.embedding.train.pair_losses.pair_loss import candidates


def pooled(features: Tensor, size: int) -> Tensor:
    """Mean of the unit rows of each `size` neighbours: (words, dimensions) → (words/size, dimensions)."""
    unit = F.normalize(features.float(), dim=1)
    return unit.view(-1, size, unit.shape[1]).mean(dim=1)


class GroupObjective(nn.Module):
    """L = L₁ + w·mean_g L_g + t·T: L₁ the margin loss of words, L_g that of vectors pooled over g words.

    What is asked of a page is asked of pooled vectors; the mean of good word vectors is not the best that
    can be pooled, since what words share by their letters does not average out. T is the triplet loss of the
    vectors pooled over the smallest groups, such as pages: each against its writer's farthest other page and
    the nearest one by another writer of the same database.

    Args:
        head: Class centres and margin.
        groups: Words of a group, ascending.
        weight: w.
        triplets: t.
    """

    batches: Tensor
    """How many batches were learnt from."""

    def __init__(
        self, head: Within, groups: Sequence[int] = (2, 4), weight: float = 0.5, triplets: float = 0.0
    ) -> None:
        super().__init__()
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64))
        self.head, self.groups, self.weight, self.triplets = head, tuple(groups), weight, triplets
        self.triplet = Triplet(miner="hard")

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
        if self.triplets and self.groups:
            of_pages = self._of_triplets(pooled(features, self.groups[0]), labels[:: self.groups[0]])
            loss = loss + self.triplets * of_pages
            values["loss_triplets"] = of_pages.detach()
        values["accuracy"] = self._accuracy(features.detach(), labels)
        return loss, values

    def _of_triplets(self, pages: Tensor, labels: Tensor) -> Tensor:
        positive, negative = candidates(labels)
        database = self.head.database[labels]
        negative &= database[:, None] == database
        return self.triplet.over(F.normalize(pages, dim=1), positive, negative)

    @torch.no_grad()
    def _accuracy(self, features: Tensor, labels: Tensor) -> Tensor:
        scores = self.head.all_scores(features.float(), labels)
        return (scores.others.argmax(dim=1) == labels).float().mean()
