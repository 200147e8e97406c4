"""Learning rates follow their formulas, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from handshift.training import TrainingConfig
from handshift.training.optimizers import StableAdamW
from handshift.training.run_identity import OtherConfigError, claim
from handshift.training.schedules import learning_rate


def rates(config: TrainingConfig, total: int, steps_per_epoch: int = 250) -> list[float]:
    return [learning_rate(config, step, total, steps_per_epoch) for step in range(total)]


@pytest.mark.parametrize(("total", "warmup"), [(100, 0.1), (57, 0.3), (1000, 0.05)])
def test_onecycle_is_torchs(total: int, warmup: float) -> None:
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    reference = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=total, pct_start=warmup)
    expected = []
    for _ in range(total):
        expected.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if len(expected) < total:
            reference.step()
    config = TrainingConfig(steps=total, schedule="onecycle", max_lr=1e-3, warmup=warmup)
    assert rates(config, total) == pytest.approx(expected)


def test_warm_cosine_rises_in_a_line_and_falls_in_a_cosine() -> None:
    config = TrainingConfig(steps=1000, schedule="warm-cosine", max_lr=2e-3, warmup=0.1)
    values = rates(config, 1000)
    assert values[0] == 0.0
    assert values[50] == pytest.approx(1e-3)
    assert max(values) == values[100] == pytest.approx(2e-3)
    assert values[-1] == pytest.approx(2e-4)


def test_stepping_per_epoch_repeats_the_sources_mistake() -> None:
    # 4 epochs of 250 steps, warm-up of 100 steps: the first epoch learns nothing, the last crawls at 6e-5.
    config = TrainingConfig(steps=1000, schedule="warm-cosine", max_lr=2e-3, warmup=0.1, stepped="per_epoch")
    values = rates(config, 1000)
    assert values[:250] == [0.0] * 250
    assert max(values) == pytest.approx(6e-5)


def test_constant_is_constant() -> None:
    assert set(rates(TrainingConfig(steps=20, schedule="constant", warmup=0.0), 20)) == {1e-3}


def test_a_very_short_training_has_a_rate_for_every_step() -> None:
    for schedule in ("onecycle", "warm-cosine", "constant"):
        for total in (1, 2, 3):
            config = TrainingConfig.model_validate({"steps": total, "schedule": schedule, "warmup": 0.5})
            assert all(0 <= value <= 1e-3 for value in rates(config, total))


def test_stable_adamw_follows_its_equations() -> None:
    torch.manual_seed(0)
    parameter = torch.nn.Parameter(torch.randn(5, 3, dtype=torch.float64))
    theta = parameter.detach().clone()
    rate, decay, beta1, beta2, epsilon = 1e-2, 0.1, 0.9, 0.99, 1e-8
    optimizer = StableAdamW([parameter], rate, (beta1, beta2), epsilon, decay)
    first = second = torch.zeros_like(theta)
    for step in range(1, 6):
        gradient = torch.randn_like(theta) * 10**step  # each far larger than the moments expect
        parameter.grad = gradient.clone()
        optimizer.step()
        first = beta1 * first + (1 - beta1) * gradient
        second = beta2 * second + (1 - beta2) * gradient**2
        m, u = first / (1 - beta1**step), second / (1 - beta2**step)
        rms = (gradient**2 / u.clamp(min=epsilon**2)).mean().sqrt()
        eta = rate / max(1.0, rms.item())
        theta = theta - eta * decay * theta - eta * m / (u.sqrt() + epsilon)
        torch.testing.assert_close(parameter.detach(), theta)


def test_amsgrad_divides_by_the_largest_moment_and_plain_decay_is_not_clipped() -> None:
    torch.manual_seed(0)
    parameter = torch.nn.Parameter(torch.randn(5, 3, dtype=torch.float64))
    theta = parameter.detach().clone()
    rate, decay, beta1, beta2, epsilon = 1e-2, 0.1, 0.9, 0.99, 1e-10
    optimizer = StableAdamW([parameter], rate, (beta1, beta2), epsilon, decay, amsgrad=True, plain_decay=True)
    first = second = largest = torch.zeros_like(theta)
    for step in range(1, 6):
        gradient = torch.randn_like(theta) * 10 ** (
            3 - step
        )  # ever smaller: the moment falls, its maximum stays
        parameter.grad = gradient.clone()
        optimizer.step()
        first = beta1 * first + (1 - beta1) * gradient
        second = beta2 * second + (1 - beta2) * gradient**2
        largest = torch.maximum(largest, second)
        m, u = first / (1 - beta1**step), largest / (1 - beta2**step)
        rms = (gradient**2 / u.clamp(min=epsilon**2)).mean().sqrt()
        theta = theta * (1 - rate * decay) - rate / max(1.0, rms.item()) * m / (u.sqrt() + epsilon)
        torch.testing.assert_close(parameter.detach(), theta)


def test_stable_adamw_is_adamw_while_gradients_stay_the_size_they_were() -> None:
    ours, theirs = (torch.nn.Parameter(torch.ones(4)) for _ in range(2))
    stable = StableAdamW([ours], 1e-2, (0.9, 0.999), weight_decay=0.1)
    plain = torch.optim.AdamW([theirs], 1e-2, (0.9, 0.999), weight_decay=0.1)
    for step in range(5):
        ours.grad, theirs.grad = torch.full((4,), 1.0 / (step + 1)), torch.full((4,), 1.0 / (step + 1))
        stable.step()
        plain.step()
    torch.testing.assert_close(ours, theirs)


def test_a_training_of_before_is_resumed_with_fields_added_since_at_their_defaults(tmp_path: Path) -> None:
    added = {"amsgrad", "epsilon", "plain_decay"}
    now = TrainingConfig(steps=1)
    claim(tmp_path, {name: value for name, value in now.identity().items() if name not in added})
    claim(tmp_path, now.identity(), TrainingConfig.defaults())
    with pytest.raises(OtherConfigError, match="amsgrad"):
        claim(tmp_path, TrainingConfig(steps=1, amsgrad=True).identity(), TrainingConfig.defaults())
