"""Batch normalisation over the batches of all processes, on processors as well as on GPUs.

``torch.nn.SyncBatchNorm`` needs GPUs. Without it every process would normalise by the statistics of its own
words, and several processes would not take the steps of one with all their words.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from handshift.embedding.train.heads.cosines import at_least_float32
from handshift.embedding.train.heads.distributed_ops import rank_and_world, sum_over_ranks


class SynchronisedNorm(_BatchNorm):
    """y = γ·(x − μ)/√(σ² + ε) + β, μ and σ² of each channel over the batches of all ranks.

    In evaluation, and in one process, it is the batch normalisation it was made from; its parameters and
    buffers have the same names.
    """

    @classmethod
    def of(cls, layer: _BatchNorm) -> SynchronisedNorm:
        """Make one that shares the parameters and buffers of a layer."""
        made = cls(layer.num_features, layer.eps, layer.momentum, layer.affine, layer.track_running_stats)
        made._parameters, made._buffers = layer._parameters, layer._buffers
        return made.train(layer.training)

    def _check_input_dim(self, given: Tensor) -> None:
        return

    def forward(self, given: Tensor) -> Tensor:
        """Normalise (batch, channels, …)."""
        if not self.training or rank_and_world()[1] == 1:
            return super().forward(given)
        with torch.autocast(given.device.type, enabled=False):
            x = at_least_float32(given)
            over = [axis for axis in range(x.ndim) if axis != 1]
            shape = [1, -1] + [1] * (x.ndim - 2)
            # The mean before the squares: their difference would lose half of the digits.
            sums = torch.cat([x.sum(over), x.new_tensor([x.numel() / x.shape[1]])])
            totals = sum_over_ranks(sums, used_in_parts=True)
            mean, count = totals[:-1] / totals[-1], float(totals[-1].detach())  # (channels,)
            apart = x - mean.view(shape)
            variance = sum_over_ranks(apart.square().sum(over), used_in_parts=True) / count
            self._observe(mean.detach(), variance.detach() * count / max(count - 1, 1))
            normal = apart * torch.rsqrt(variance + self.eps).view(shape)
            if self.affine:
                normal = normal * self.weight.view(shape) + self.bias.view(shape)
        return normal.to(given.dtype)

    @torch.no_grad()
    def _observe(self, mean: Tensor, variance: Tensor) -> None:
        if self.running_mean is None or self.running_var is None or self.num_batches_tracked is None:
            return
        self.num_batches_tracked += 1
        rate = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        self.running_mean.lerp_(mean.to(self.running_mean), rate)
        self.running_var.lerp_(variance.to(self.running_var), rate)


def synchronise_norms(module: nn.Module) -> None:
    """Replace every batch normalisation inside a module by one over all processes."""
    for name, child in module.named_children():
        if isinstance(child, _BatchNorm):
            setattr(module, name, SynchronisedNorm.of(child))
        else:
            synchronise_norms(child)
