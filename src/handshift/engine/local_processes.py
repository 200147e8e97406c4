"""`LocalProcesses`: an engine of spawned processes on this machine.

Not `ProcessPoolExecutor`: one killed worker breaks the whole pool there, and its items with it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from handshift.core.errors import HandshiftError
from handshift.engine.engine import (
    AHEAD,
    Item,
    Outcome,
    Resources,
    Result,
    WorkFactory,
    described,
)
from handshift.engine.item_queue import ItemQueue

_LEAVE_SECONDS = 5.0


@dataclass(eq=False, slots=True)
class _Worker:
    process: Any
    pipe: Connection
    held: deque[int] = field(default_factory=deque)
    ready: bool = False


class LocalProcesses:
    """Runs work in processes of this machine.

    Args:
        workers: Number of processes; one for each core this process may use if None.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or usable_cores()

    def map(
        self,
        factory: WorkFactory[Item, Result],
        items: Iterable[Item],
        *,
        resources: Resources | None = None,
        retries: int = 2,
    ) -> Iterator[Outcome[Item, Result]]:
        """As `Engine.map`; `resources` are not enforced on one machine."""
        queue: ItemQueue[Item, Result] = ItemQueue(items, self.workers, retries)
        pool: list[_Worker] = []
        failed_starts = 0
        try:
            while True:
                yield from queue.release()
                for worker in pool:
                    if worker.ready:
                        _hand_out(worker, queue)
                starting = sum(not worker.ready for worker in pool)
                while len(pool) < self.workers and queue.more_waiting_than(starting):
                    pool.append(_start(factory))
                    starting += 1
                if not queue.unfinished:
                    return
                for pipe in wait([worker.pipe for worker in pool]):
                    worker = next(one for one in pool if one.pipe is pipe)
                    if not _receive(worker, queue):
                        pool.remove(worker)
                        failed_starts += not worker.ready
                        _give_up_after(failed_starts, retries)
        finally:
            _stop(pool)


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(factory: WorkFactory[Item, Result]) -> _Worker:
    # Spawned, not forked: a fork inherits locks held by threads of onnxruntime or OpenCV.
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, factory), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is the end of the pipe
    return _Worker(process, ours)


def _hand_out(worker: _Worker, queue: ItemQueue[Item, Result]) -> None:
    while len(worker.held) < AHEAD and (taken := queue.take()) is not None:
        number, item = taken
        worker.held.append(number)
        with contextlib.suppress(OSError):  # it has died; its pipe says so when it is read
            worker.pipe.send((number, item))


def _receive(worker: _Worker, queue: ItemQueue[Item, Result]) -> bool:
    """Take one message; False if the worker is gone."""
    try:
        kind, number, content = worker.pipe.recv()
    except (EOFError, OSError, pickle.UnpicklingError):
        for place, held in enumerate(worker.held):
            queue.give_back(held, died_in_hand=place == 0)
        worker.pipe.close()
        return False
    if kind == "cannot start":
        raise content if isinstance(content, HandshiftError) else HandshiftError(described(content))
    if kind == "ready":
        worker.ready = True
        return True
    worker.held.remove(number)
    if kind == "result":
        queue.finish(number, result=content)
    else:
        queue.finish(number, error=content)
    return True


def _give_up_after(failed_starts: int, retries: int) -> None:
    if failed_starts > retries:
        raise HandshiftError(
            f"{failed_starts} worker processes died before their first item; is there enough memory?"
        )


def _stop(pool: list[_Worker]) -> None:
    for worker in pool:
        worker.pipe.close()  # an idle worker leaves at the end of its input
        if worker.held or not worker.ready:
            worker.process.terminate()
    for worker in pool:
        worker.process.join(_LEAVE_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _serve(pipe: Connection, factory: WorkFactory[Any, Any]) -> None:
    """The life of a worker: make the work, then answer items until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that hands out the work
    try:
        work = factory()
    except Exception as error:
        pipe.send(("cannot start", None, error))
        return
    try:
        pipe.send(("ready", None, None))
        while True:
            number, item = pipe.recv()
            try:
                answer = ("result", number, work(item))
            except Exception as error:
                answer = ("error", number, described(error))
            pipe.send(answer)
    except (EOFError, OSError):  # the other side has ended
        return
