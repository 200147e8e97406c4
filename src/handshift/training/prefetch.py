"""Batches made ready while the model is busy with the one before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from torch.utils.data import DataLoader, Dataset, default_convert

MakeBatch = Callable[[int], Any]


@contextmanager
def prefetched(make: MakeBatch, indices: Sequence[int], workers: int, ahead: int) -> Iterator[Iterator[Any]]:
    """Yield an iterator over ``make(i) for i in indices``, in order, ``ahead`` of them computed early.

    One thread is enough where the work is numpy and OpenCV, which let go of the interpreter lock; ``workers``
    processes serve drawing and augmentation written in Python.
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
