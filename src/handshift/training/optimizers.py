"""From a config to an optimizer."""

from __future__ import annotations

from torch import nn
from torch.optim import AdamW, Optimizer

from handshift.training.config import TrainingConfig
from handshift.training.stable_adamw import StableAdamW


def build_optimizer(module: nn.Module, config: TrainingConfig) -> Optimizer:
    """AdamW or StableAdamW over all trainable parameters; the loop sets the learning rate each step.

    Vectors (biases, normalisation gains) are not decayed: pulling them to zero regularises nothing.
    """
    trainable = [p for p in module.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in trainable if p.ndim > 1], "weight_decay": config.weight_decay},
        {"params": [p for p in trainable if p.ndim <= 1], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    if not groups:
        raise ValueError(f"{type(module).__name__} has no trainable parameter")
    if config.optimizer == "stable-adamw":
        return StableAdamW(groups, lr=config.max_lr, betas=config.betas)
    return AdamW(groups, lr=config.max_lr, betas=config.betas)
