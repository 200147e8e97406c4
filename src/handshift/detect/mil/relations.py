"""What the similarity matrix of a bag says, in numbers that do not depend on the order of its words."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

QUANTILES = 9
POWERS = 4


def cosines(words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines of all pairs (batch, n, n), zero on padding, and which pairs are of two words."""
    x = functional.normalize(words, dim=-1) * mask.unsqueeze(-1).to(words.dtype)
    place = torch.cumsum(torch.ones_like(mask[0], dtype=torch.long), dim=0)  # onnxruntime has no boolean eye
    apart = place.unsqueeze(0) != place.unsqueeze(1)
    return x @ x.transpose(1, 2), mask.unsqueeze(1) & mask.unsqueeze(2) & apart


def row_quantiles(similarity: Tensor, pairs: Tensor) -> Tensor:
    """(batch, n, n) → (batch, n, 9): each word's sorted similarities to the others, read off at nine places.

    A word that is alone resembles itself: all ones.
    """
    others = pairs.sum(dim=-1, keepdim=True)  # (batch, n, 1)
    rising, _ = torch.sort(similarity.masked_fill(~pairs, 2.0), dim=-1)  # what is no pair goes last
    places = torch.linspace(0, 1, QUANTILES, device=similarity.device)
    last = (others - 1).clamp_min(0)
    at = places * last.to(similarity.dtype)  # (batch, n, 9)
    low = at.floor().long()
    high = torch.minimum(low + 1, last)
    part = at - low.to(at.dtype)
    values = (1 - part) * torch.gather(rising, -1, low) + part * torch.gather(rising, -1, high)
    return torch.where(others > 0, values, torch.ones_like(values))


def centred(similarity: Tensor, mask: Tensor) -> Tensor:
    """H S H / n with H = I − 1/n: what is left when all that the words share is taken away."""
    kept = mask.to(similarity.dtype)
    size = kept.sum(dim=1).clamp_min(1.0)[:, None, None]
    rows = similarity.sum(dim=2, keepdim=True) / size
    whole = rows.sum(dim=1, keepdim=True) / size
    inner = similarity - rows - rows.transpose(1, 2) + whole
    return inner * kept.unsqueeze(1) * kept.unsqueeze(2) / size


def spectrum(matrix: Tensor) -> Tensor:
    """(batch, n, n) → (batch, 4): (Σ λ^p)^(1/p) for p = 1…4, the eigenvalues by their power sums.

    Traces of powers need no decomposition: they have gradients where eigenvalues meet, and ONNX knows them.
    """
    square = matrix @ matrix
    trace = matrix.diagonal(dim1=1, dim2=2).sum(dim=-1)
    sums = (trace, matrix.square().sum((1, 2)), (square * matrix).sum((1, 2)), square.square().sum((1, 2)))
    roots = [total.clamp_min(1e-8) ** (1.0 / power) for power, total in enumerate(sums, 1)]
    return torch.stack(roots, dim=-1)
