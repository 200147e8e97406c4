"""Batches prepared ahead of the loop, and random states that depend on (seed, step) alone."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, default_convert

_MIX = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads neighbouring numbers over all bits
_MASK = (1 << 64) - 1


def mixed_seed(seed: int, step: int) -> int:
    """64 well-mixed bits from (seed, step), the splitmix64 finaliser over seed·φ + step."""
    value = (seed * _MIX + step + 1) * _MIX & _MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def seed_step(seed: int, step: int) -> None:
    """Seed python, numpy and torch for one step.

    Seeding every step, and not only the first, makes a resumed run equal to an uninterrupted one without
    storing generator states: dropout in step 700 is the same however the run got there.

    Args:
        seed: The training's seed.
        step: Number of the optimizer step.
    """
    state = mixed_seed(seed, step)
    random.seed(state)
    np.random.seed(state & 0xFFFFFFFF)  # noqa: NPY002 - third-party code still draws from the global state
    # torch.manual_seed would also format a stack trace for every kind of accelerator that is not there.
    torch.default_generator.manual_seed(state)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(state)


def batch_generator(seed: int, index: int) -> np.random.Generator:
    """Return the generator for batch ``index``; it depends on (seed, index) alone, in any process."""
    return np.random.default_rng((seed, index))


MakeBatch = Callable[[int], Any]


@contextmanager
def prefetched(make: MakeBatch, indices: Sequence[int], workers: int, ahead: int) -> Iterator[Iterator[Any]]:
    """Yield an iterator over ``make(i) for i in indices``, in order, ``ahead`` of them computed early.

    One thread is enough for numpy and OpenCV, which release the interpreter lock; ``workers`` processes serve
    drawing and augmentation written in Python.

    Args:
        make: Makes the batch of an index; must not depend on the batches before.
        indices: The batches wanted.
        workers: Number of processes; 0 for one thread.
        ahead: Number of batches kept ready.

    Yields:
        The iterator over batches, with arrays converted to tensors.
    """
    if workers:
        loader = DataLoader(
            _Batches(make),
            batch_size=None,
            sampler=indices,
            num_workers=workers,
            prefetch_factor=max(1, -(-ahead // workers)),
        )
        yield iter(loader)
        return
    pool = ThreadPoolExecutor(1, thread_name_prefix="batches")
    try:
        yield _in_order(pool, make, indices, ahead)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ThreadPoolExecutor, make: MakeBatch, indices: Sequence[int], ahead: int) -> Iterator[Any]:
    waiting: deque[Future[Any]] = deque(pool.submit(make, index) for index in indices[:ahead])
    for upcoming in range(ahead, len(indices) + ahead):
        if not waiting:
            return
        batch = waiting.popleft().result()
        if upcoming < len(indices):
            waiting.append(pool.submit(make, indices[upcoming]))
        yield default_convert(batch)  # type: ignore[no-untyped-call]  # arrays become tensors, as DataLoader does


class _Batches(Dataset[Any]):
    """Lets DataLoader, which brings processes, shared memory and worker seeds, fetch batches by index."""

    def __init__(self, make: MakeBatch) -> None:
        self.make = make

    def __getitem__(self, index: int) -> Any:
        return self.make(index)
