"""Optimizers: AdamW and StableAdamW, built from a config."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from handshift.training.config import TrainingConfig


class StableAdamW(Optimizer):
    r"""AdamW with update clipping per tensor (Wortsman et al. 2023).

    With g the gradient, m and u its debiased first and second moments:

        RMS = sqrt(mean(g² / max(u, ε²)))
        η   = lr / max(1, RMS)
        θ  ← θ − η·λ·θ − η·m / (sqrt(u) + ε)

    RMS ≈ 1 while u describes the gradients; a sudden large one gives RMS ≫ 1 and a smaller step. With
    ``amsgrad`` u is the largest second moment so far, with ``plain_decay`` the decay is lr·λ·θ: both as
    Dinomaly's optimizer.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        plain_decay: bool = False,
    ) -> None:
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, settings | {"amsgrad": amsgrad, "plain_decay": plain_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Update every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, group)
        return loss

    def _update(self, parameter: Tensor, group: dict[str, Any]) -> None:
        gradient = parameter.grad
        assert gradient is not None
        state = self.state[parameter]
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
        state["step"] += 1
        count = state["step"].item()
        beta1, beta2 = group["betas"]
        state["exp_avg"].lerp_(gradient, 1 - beta1)
        state["exp_avg_sq"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)

        moment = state["exp_avg_sq"]
        if group["amsgrad"]:
            moment = torch.maximum(state.get("max_exp_avg_sq", moment), moment)
            state["max_exp_avg_sq"] = moment
        second = moment / (1 - beta2**count)
        rms = gradient.square().div_(second.clamp(min=group["eps"] ** 2)).mean().sqrt()
        rate = group["lr"] / max(1.0, rms.item())
        parameter.mul_(1 - (group["lr"] if group["plain_decay"] else rate) * group["weight_decay"])
        parameter.addcdiv_(
            state["exp_avg"], second.sqrt_().add_(group["eps"]), value=-rate / (1 - beta1**count)
        )


def build_optimizer(module: nn.Module, config: TrainingConfig) -> Optimizer:
    """Build the optimizer over all trainable parameters; the loop sets the learning rate at each step.

    Vectors (biases, normalisation gains) get no weight decay: pulling them to zero regularises nothing.

    Args:
        module: Holds the parameters.
        config: Names the optimizer, its betas and its weight decay.

    Returns:
        AdamW or StableAdamW.

    Raises:
        ValueError: No parameter is trainable.
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
        return StableAdamW(
            groups,
            lr=config.max_lr,
            betas=config.betas,
            eps=config.epsilon,
            amsgrad=config.amsgrad,
            plain_decay=config.plain_decay,
        )
    return AdamW(groups, lr=config.max_lr, betas=config.betas, eps=config.epsilon, amsgrad=config.amsgrad)
