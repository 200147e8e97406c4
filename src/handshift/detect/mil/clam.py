"""CLAM with a single attention branch (CLAM-SB; Lu et al., 2021): gated attention with an instance loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.ab_mil import GatedAttention
from handshift.detect.mil.model import MilModel, Output, hidden_layer_head, pooled
from handshift.detect.mil.standardise import Standardise

BAG_WEIGHT = 0.7


class ClamSb(MilModel):
    """Gated attention on ReLU(Linear(words)), and an instance loss on words of extreme attention.

    With k = min(8, ⌊n/2⌋), the instance classifier of the bag's class separates the k words of highest
    attention from the k of lowest; loss = 0.7 · BCE(bag) + 0.3 · mean cross-entropy of those 2k words.
    """

    def __init__(self, dims: int, hidden: int = 128, sample: int = 8) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.sample = sample
        self.embed = nn.Sequential(nn.Linear(dims, hidden), nn.ReLU())
        self.attend = GatedAttention(hidden, hidden)
        self.classify: nn.Module = nn.Linear(hidden, 1)
        self.instance_classifiers = nn.Linear(hidden, 2)  # one for each class of bags

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        return self._forward(words, mask)[0]

    def loss(self, words: Tensor, mask: Tensor, label: Tensor) -> tuple[Tensor, Output]:
        """0.7 · BCE of the bag + 0.3 · cross-entropy of the words of extreme attention."""
        output, hidden = self._forward(words, mask)
        bag = functional.binary_cross_entropy_with_logits(output.logit, label)
        instance_logits = self.instance_classifiers(hidden)  # (batch, n, 2)
        own = label.long()[:, None, None].expand(-1, instance_logits.shape[1], 1)
        logits = instance_logits.gather(2, own).squeeze(-1)  # (batch, n)
        highest, lowest = _extremes(output.contribution.detach(), mask, self.sample)
        each = functional.binary_cross_entropy_with_logits(logits, highest.to(logits.dtype), reduction="none")
        chosen = (highest | lowest).to(logits.dtype)
        per_bag = (each * chosen).sum(dim=1) / chosen.sum(dim=1).clamp_min(1.0)
        return BAG_WEIGHT * bag + (1 - BAG_WEIGHT) * per_bag.mean(), output

    def _forward(self, words: Tensor, mask: Tensor) -> tuple[Output, Tensor]:
        hidden = self.embed(self.standard(words))  # (batch, n, hidden)
        weights = self.attend(hidden, mask)
        return Output(self.classify(pooled(weights, hidden)).squeeze(-1), weights), hidden


class ClamSbMlp(ClamSb):
    """CLAM-SB with a hidden layer behind the pooling; see `hidden_layer_head` for the reason."""

    def __init__(self, dims: int, hidden: int = 128, sample: int = 8) -> None:
        super().__init__(dims, hidden, sample)
        self.classify = hidden_layer_head(hidden)


def _extremes(weights: Tensor, mask: Tensor, sample: int) -> tuple[Tensor, Tensor]:
    """Masks of the k highest and the k lowest words of each bag, k = min(sample, ⌊n/2⌋)."""
    size = mask.sum(dim=1, keepdim=True)
    k = (size // 2).clamp_max(sample)
    order = torch.argsort(weights.masked_fill(~mask, -1.0), dim=1, descending=True)
    rank = torch.argsort(order, dim=1)  # 0 is the highest
    return rank < k, (rank >= size - k) & mask
