"""Features as a network gives them: of any precision and any length."""

from __future__ import annotations

import torch
from torch import Tensor

SHORTEST = 1e-6  # a feature shorter than this has no direction, and gets no gradient


def widened_precision(tensor: Tensor) -> Tensor:
    """Half precision becomes single; the rest stays."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def lengths(features: Tensor) -> Tensor:
    """‖x_i‖; (batch, dimensions) → (batch,)."""
    return torch.linalg.vector_norm(features, dim=1)


def unit_rows(features: Tensor, norms: Tensor) -> Tensor:
    """x̂_i = x_i/‖x_i‖, and 0 for a row without a direction; (batch, dimensions)."""
    return features / torch.where(norms > SHORTEST, norms, torch.inf)[:, None]
