"""Chance that can be repeated: the random state of step k depends on (seed, k) and on nothing before it."""

from __future__ import annotations

import random

import numpy as np
import torch

_MIX = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads neighbouring numbers over all bits
_MASK = (1 << 64) - 1


def mixed_seed(seed: int, step: int) -> int:
    """64 well-mixed bits from (seed, step), the splitmix64 finaliser over seed·φ + step."""
    value = (seed * _MIX + step + 1) * _MIX & _MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def seed_step(seed: int, step: int) -> None:
    """Set python, numpy and torch to the state that belongs to this step.

    Seeding every step, and not only the first, is what makes a resumed run equal to an uninterrupted one
    without storing generator states: dropout in step 700 is the same however the run got there.
    """
    state = mixed_seed(seed, step)
    random.seed(state)
    np.random.seed(state & 0xFFFFFFFF)  # noqa: NPY002 - third-party code still draws from the global state
    # torch.manual_seed would also format a stack trace for every kind of accelerator that is not there.
    torch.default_generator.manual_seed(state)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(state)


def batch_generator(seed: int, index: int) -> np.random.Generator:
    """The generator from which batch ``index`` is drawn, in whichever process that happens."""
    return np.random.default_rng((seed, index))
