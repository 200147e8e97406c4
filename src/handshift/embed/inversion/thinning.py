"""A network with some channels left out at random: what pleases it by chance pleases no second network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm


@contextmanager
def thinned(network: nn.Module, share: float, generator: torch.Generator) -> Iterator[None]:
    """Within, each batch normalisation's channels are zeroed with probability `share`, the rest scaled up.

    Drawn anew in each pass and for each picture, so that a search through the network is one through many
    networks that were never trained.
    """

    def drop(layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        kept = torch.rand(output.shape[:2], generator=generator) >= share  # (batch, channels)
        return output * (kept / (1 - share)).view(*kept.shape, *(1,) * (output.ndim - 2))

    layers = [module for module in network.modules() if isinstance(module, _BatchNorm)]
    handles = [layer.register_forward_hook(drop) for layer in layers] if share else []
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
