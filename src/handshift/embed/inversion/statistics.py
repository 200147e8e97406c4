"""What a network has seen, as its batch normalisation remembers it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm


class SeenStatistics:
    """L8 = Σ_l mean_c [((μ_lc(x) − μ̂_lc)/σ̂_lc)² + (σ_lc(x)/σ̂_lc − 1)²] over batch-normalisation layers l.

    μ and σ are the mean and deviation of channel c of the layer's input over a batch, μ̂ and σ̂ the running
    ones of the training. The source takes ‖μ − μ̂‖² + ‖σ² − σ̂²‖²; in that, layers whose numbers happen to be
    large are all that counts, by a factor of 10⁶ in a small ResNet. Use it as a context; call it after
    each forward pass.
    """

    def __init__(self, network: nn.Module) -> None:
        self._layers = [module for module in network.modules() if isinstance(module, _BatchNorm)]
        self._handles: list[Any] = []
        self._distances: list[Tensor] = []

    def __enter__(self) -> Self:
        self._handles = [layer.register_forward_pre_hook(self._observe) for layer in self._layers]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._handles:
            handle.remove()

    def __call__(self) -> Tensor:
        """The distance of the last batch; 0 for a network without such layers."""
        total = torch.stack(self._distances).sum() if self._distances else torch.zeros(())
        self._distances.clear()
        return total

    def _observe(self, layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        assert isinstance(layer, _BatchNorm)
        but_channels = [axis for axis in range(inputs[0].ndim) if axis != 1]
        variance, mean = torch.var_mean(inputs[0], dim=but_channels, correction=0)  # (channels,) each
        assert layer.running_mean is not None
        assert layer.running_var is not None
        spread = (layer.running_var + layer.eps).sqrt()
        off = ((mean - layer.running_mean) / spread).square()
        wide = ((variance + layer.eps).sqrt() / spread - 1).square()
        self._distances.append((off + wide).mean())
