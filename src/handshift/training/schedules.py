"""Learning-rate schedules as pure functions of the step, without state to save or restore."""

from __future__ import annotations

from math import cos, pi

from handshift.training.config import TrainingConfig

# (first lr, last lr) / max lr unless the config sets them; OneCycle's are those of torch's OneCycleLR.
DEFAULT_FACTORS = {"onecycle": (1 / 25, 1 / 25e4), "warm-cosine": (0.0, 0.1), "constant": (0.0, 1.0)}


def learning_rate(config: TrainingConfig, step: int, total: int, steps_per_epoch: int) -> float:
    """Learning rate of one optimizer step.

    ``stepped: per_epoch`` keeps a known mistake for comparison: the schedule is planned in steps but advanced
    once per epoch, lr(step) = schedule(⌊step / steps_per_epoch⌋), so a short training never leaves
    its warm-up.

    Args:
        config: Schedule, peak rate, warm-up and end factors.
        step: Number of the step, 0 … total − 1.
        total: Steps of the whole training.
        steps_per_epoch: Steps of one pass over the data.

    Returns:
        The learning rate.
    """
    position = step if config.stepped == "per_step" else step // steps_per_epoch
    default_start, default_end = DEFAULT_FACTORS[config.schedule]
    start = default_start if config.start_factor is None else config.start_factor
    end = default_end if config.end_factor is None else config.end_factor
    shape = {"onecycle": onecycle, "warm-cosine": warm_cosine, "constant": warm_constant}[config.schedule]
    return config.max_lr * shape(position, total, config.warmup, start, end)


def onecycle(step: int, total: int, warmup: float, start: float, end: float) -> float:
    """Half a cosine up from ``start`` to 1 in ``warmup·total − 1`` steps, half a cosine down to ``end``."""
    top = warmup * total - 1
    if step <= top and top > 0:
        return _half_cosine(start, 1.0, step / top)
    top = max(top, 0.0)
    return _half_cosine(1.0, end, (step - top) / max(total - 1 - top, 1.0))


def warm_cosine(step: int, total: int, warmup: float, start: float, end: float) -> float:
    """Linear warm-up from ``start`` to 1 in ``warmup·total`` steps, then half a cosine down to ``end``."""
    rise = warmup * total
    if step < rise:
        return start + (1.0 - start) * step / rise
    return _half_cosine(1.0, end, (step - rise) / max(total - 1 - rise, 1.0))


def warm_constant(step: int, total: int, warmup: float, start: float, end: float) -> float:
    """Linear warm-up from ``start`` to 1 in ``warmup·total`` steps, then ``end`` (1 by default)."""
    rise = warmup * total
    return start + (1.0 - start) * step / rise if step < rise else end


def _half_cosine(first: float, last: float, share: float) -> float:
    return last + (first - last) * (1.0 + cos(pi * min(share, 1.0))) / 2.0
