"""Means and softmax over the words of bags that are padded to one length."""

from __future__ import annotations

import torch
from torch import Tensor

_NEVER = -1e9


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, exactly 0 elsewhere, all 0 where it never is."""
    weights = torch.softmax(scores.masked_fill(~mask, _NEVER), dim=-1)
    return weights * mask.to(weights.dtype)


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """(batch, n, dims) → (batch, dims) over the words that are there."""
    kept = mask.unsqueeze(-1).to(values.dtype)
    return (values * kept).sum(dim=1) / kept.sum(dim=1).clamp_min(1.0)


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """(batch, n, dims) → (batch, dims) over the words that are there."""
    return values.masked_fill(~mask.unsqueeze(-1), _NEVER).amax(dim=1)


def pooled(weights: Tensor, values: Tensor) -> Tensor:
    """(batch, n) and (batch, n, dims) → (batch, dims), the weighted sum."""
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1)
