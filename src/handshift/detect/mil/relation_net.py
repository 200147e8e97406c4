"""The relation net: a permutation-invariant network on the cosine similarity matrix of a bag."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.ab_mil import GatedAttention
from handshift.detect.mil.model import MilModel, Output, masked_max, masked_mean, masked_softmax, pooled
from handshift.detect.mil.standardise import lengths

QUANTILES = 9
POWERS = 4


def cosines(words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines of all pairs (batch, n, n), zero on padding, and which pairs are of two words."""
    x = functional.normalize(words, dim=-1) * mask.unsqueeze(-1).to(words.dtype)
    place = torch.cumsum(torch.ones_like(mask[0], dtype=torch.long), dim=0)  # onnxruntime has no boolean eye
    apart = place.unsqueeze(0) != place.unsqueeze(1)
    return x @ x.transpose(1, 2), mask.unsqueeze(1) & mask.unsqueeze(2) & apart


def row_quantiles(similarity: Tensor, pairs: Tensor) -> Tensor:
    """(batch, n, n) → (batch, n, 9): nine quantiles of each word's similarities to the others.

    A single word gets ones.
    """
    others = pairs.sum(dim=-1, keepdim=True)  # (batch, n, 1)
    rising, _ = torch.sort(similarity.masked_fill(~pairs, 2.0), dim=-1)  # masked pairs sort last
    places = torch.linspace(0, 1, QUANTILES, device=similarity.device)
    last = (others - 1).clamp_min(0)
    at = places * last.to(similarity.dtype)  # (batch, n, 9)
    low = at.floor().long()
    high = torch.minimum(low + 1, last)
    part = at - low.to(at.dtype)
    values = (1 - part) * torch.gather(rising, -1, low) + part * torch.gather(rising, -1, high)
    return torch.where(others > 0, values, torch.ones_like(values))


def centred(similarity: Tensor, mask: Tensor) -> Tensor:
    """Doubly centred similarity H S H / n with H = I − 1/n."""
    kept = mask.to(similarity.dtype)
    size = kept.sum(dim=1).clamp_min(1.0)[:, None, None]
    rows = similarity.sum(dim=2, keepdim=True) / size
    whole = rows.sum(dim=1, keepdim=True) / size
    inner = similarity - rows - rows.transpose(1, 2) + whole
    return inner * kept.unsqueeze(1) * kept.unsqueeze(2) / size


def spectrum(matrix: Tensor) -> Tensor:
    """(batch, n, n) → (batch, 4): (Σ λ^p)^(1/p) for p = 1…4, the eigenvalues by their power sums.

    Traces of powers need no decomposition: they have gradients at equal eigenvalues, and ONNX has them.
    """
    square = matrix @ matrix
    trace = matrix.diagonal(dim1=1, dim2=2).sum(dim=-1)
    sums = (trace, matrix.square().sum((1, 2)), (square * matrix).sum((1, 2)), square.square().sum((1, 2)))
    roots = [total.clamp_min(1e-8) ** (1.0 / power) for power, total in enumerate(sums, 1)]
    return torch.stack(roots, dim=-1)


class RelationNet(MilModel):
    """Message passing on S = cos(x_i, x_j), because "foreign" is a relation between words.

    A word's features are ln |x_i| and the quantiles of its row of S; rounds of message passing along S
    exchange features within groups; mean, maximum and attention over the words, the spectrum of the centred S
    and ln n give the logit. The net does not see the vectors, so it cannot memorise writers, takes any
    dimension, and is permutation invariant. A word contributes its attention.
    """

    def __init__(self, dims: int, hidden: int = 32, rounds: int = 2) -> None:
        super().__init__()
        self.dims = dims
        self.begin = nn.Sequential(nn.Linear(QUANTILES + 1, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.rounds = nn.ModuleList(_Round(hidden) for _ in range(rounds))
        self.attend = GatedAttention(hidden, hidden)
        self.classify = nn.Sequential(
            nn.Linear(3 * hidden + POWERS + 1, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        similarity, pairs = cosines(words, mask)
        inner = centred(similarity, mask)
        length = torch.log(lengths(words))
        h = self.begin(torch.cat([row_quantiles(similarity, pairs), length], dim=-1))  # (batch, n, hidden)
        for step in self.rounds:
            h = step(h, similarity, inner, pairs, mask)
        weights = self.attend(h, mask)
        size = mask.to(h.dtype).sum(dim=1, keepdim=True).clamp_min(1.0).log()
        bag = [masked_mean(h, mask), masked_max(h, mask), pooled(weights, h), spectrum(inner), size]
        return Output(self.classify(torch.cat(bag, dim=-1)).squeeze(-1), weights)


class _Round(nn.Module):
    """h + MLP(h, softmax(τ·S)·h, K·h, mean of h), K being the centred similarity."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.sharpness = nn.Parameter(torch.tensor(5.0))
        self.mix = nn.Sequential(nn.Linear(4 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))

    def forward(self, h: Tensor, similarity: Tensor, inner: Tensor, pairs: Tensor, mask: Tensor) -> Tensor:
        attention = masked_softmax(self.sharpness * similarity, pairs)  # (batch, n, n)
        mean = masked_mean(h, mask).unsqueeze(1).expand_as(h)
        mixed: Tensor = h + self.mix(torch.cat([h, attention @ h, inner @ h, mean], dim=-1))
        return mixed
