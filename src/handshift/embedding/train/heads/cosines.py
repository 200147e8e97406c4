"""Cosines of raw features with class centres, with memory-efficient backward passes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

SHORTEST = 1e-6  # a feature shorter than this has no direction and receives no gradient
TINY = 1e-12  # a centre shorter than this has no direction


def at_least_float32(tensor: Tensor) -> Tensor:
    """Convert half precision to float32; leave other types unchanged."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def row_norms(features: Tensor) -> Tensor:
    """Compute ‖x_i‖; (batch, dimensions) → (batch,)."""
    return torch.linalg.vector_norm(features, dim=1)


def unit_rows(features: Tensor, norms: Tensor) -> Tensor:
    """Compute x̂_i = x_i/‖x_i‖, and 0 for a row shorter than `SHORTEST`; (batch, dimensions)."""
    return features / torch.where(norms > SHORTEST, norms, torch.inf)[:, None]


class _Cosines(Function):
    """Normalisation and product as one autograd node, so that the backward pass works in place on A."""

    @staticmethod
    def forward(ctx: Any, unit: Tensor, centres: Tensor) -> Tensor:
        inverse = torch.linalg.vector_norm(centres, dim=1, keepdim=True).clamp_min_(TINY).reciprocal_()
        directions = centres * inverse  # (columns, dimensions)
        ctx.save_for_backward(unit, directions, inverse)
        return unit @ directions.T

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        unit, directions, inverse = ctx.saved_tensors
        to_unit = gradient @ directions if ctx.needs_input_grad[0] else None
        to_centres = None
        if ctx.needs_input_grad[1]:
            to_centres = gradient.T @ unit  # A: (columns, dimensions)
            # dw = (A − ŵ·(ŵ·A))/‖w‖
            along = torch.linalg.vecdot(directions, to_centres).unsqueeze_(1)
            to_centres.addcmul_(directions, along, value=-1.0).mul_(inverse)
        return to_unit, to_centres


class _Take(Function):
    """The products unchanged, and the entry of each row at its target column."""

    @staticmethod
    def forward(ctx: Any, products: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(columns)
        return products.view_as(products), products.gather(1, columns[:, None])[:, 0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, to_products: Tensor, to_target: Tensor) -> tuple[Tensor, None]:
        (columns,) = ctx.saved_tensors
        return to_products.scatter_add(1, columns[:, None], to_target[:, None]), None


def cosines(unit: Tensor, centres: Tensor) -> Tensor:
    """Compute x̂·w/‖w‖; (batch, dimensions) unit rows, (columns, dimensions) → (batch, columns)."""
    result: Tensor = _Cosines.apply(unit, centres)  # type: ignore[no-untyped-call]
    return result


def split_target(products: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """Read each row's target: (batch, columns), (batch,) → the products, and (batch,) targets.

    Equivalent to ``gather``, whose backward pass would allocate one more matrix of the products' size.
    """
    others, target = _Take.apply(products, columns)  # type: ignore[no-untyped-call]
    return others, target
