"""`RayCluster`: an engine of Ray actors on any number of machines.

Ray's actors and not Ray Data: with a worker killed, Ray Data's actor pool (2.60) paused for 160 s, and with a
node lost whose actors found no other place it had not finished after half a minute. Here an actor that dies
is replaced, its items go to the others at once, and an actor without a place holds no item.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from handshift.core.errors import HandshiftError
from handshift.engine.engine import AHEAD, Item, Outcome, Resources, Result, WorkFactory
from handshift.engine.item_queue import ItemQueue


@dataclass(eq=False, slots=True)
class _Actor:
    handle: Any
    held: deque[int] = field(default_factory=deque)
    ready: bool = False


class RayCluster:
    """Runs work in the actors of a Ray cluster.

    handshift must be installed on every node, and the files must have the same paths there.

    Args:
        address: ``host:port`` of the cluster's head, or "auto" for one that runs on this machine; if None, a
            cluster of this machine alone is started.
        workers: Number of actors; one for each processor of the cluster if None.

    Raises:
        HandshiftError: The cluster cannot be reached.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        ray = self._ray = _ray()
        if not ray.is_initialized():
            try:
                own: dict[str, Any] = {} if address else {"include_dashboard": False}
                ray.init(address=address, log_to_driver=False, logging_level="error", **own)
            except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
                raise HandshiftError(
                    f"{address or 'this machine'}: no Ray cluster can be used here ({error}); "
                    "start one with `ray start --head`, and give its address"
                ) from error
        self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))

    def map(
        self,
        factory: WorkFactory[Item, Result],
        items: Iterable[Item],
        *,
        resources: Resources | None = None,
        retries: int = 2,
    ) -> Iterator[Outcome[Item, Result]]:
        """As `Engine.map`."""
        queue: ItemQueue[Item, Result] = ItemQueue(items, self.workers, retries)
        run = _Run(self._ray, factory, resources or Resources(), retries)
        try:
            while True:
                yield from queue.release()
                run.hand_out(queue)
                starting = sum(not actor.ready for actor in run.actors)
                while len(run.actors) < self.workers and queue.more_waiting_than(starting):
                    run.start()
                    starting += 1
                if not queue.unfinished:
                    return
                run.receive(queue)
        finally:
            run.stop()

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        self._ray.shutdown()


class _Run:
    """The actors of one `map`, and what each of them has been asked."""

    def __init__(self, ray: Any, factory: WorkFactory[Any, Any], resources: Resources, retries: int) -> None:
        self._ray = ray
        self._factory = ray.put(factory)
        memory = {"memory": resources.memory} if resources.memory else {}
        options = {"num_cpus": resources.processors, "num_gpus": resources.gpus, **memory}
        self._class = ray.remote(_Holder).options(max_restarts=0, **options)
        self._most_failures = retries
        self._failed_starts = 0
        self._asked: dict[Any, tuple[_Actor, int | None]] = {}
        self.actors: list[_Actor] = []

    def start(self) -> None:
        actor = _Actor(self._class.remote(self._factory))
        self.actors.append(actor)
        self._asked[actor.handle.ready.remote()] = actor, None

    def hand_out(self, queue: ItemQueue[Any, Any]) -> None:
        """Give every actor its next items.

        An item that seemed to be in hand when an actor died is tried alone: the answer of the item before it
        may have been lost with the actor, which would be charged with the death otherwise.
        """
        for actor in self.actors:
            while actor.ready and len(actor.held) < AHEAD and not any(map(queue.is_suspect, actor.held)):
                if (taken := queue.take(idle=not actor.held)) is None:
                    break
                number, item = taken
                actor.held.append(number)
                self._asked[actor.handle.work.remote(item)] = actor, number

    def receive(self, queue: ItemQueue[Any, Any]) -> None:
        """Wait for answers and take them."""
        answered, _ = self._ray.wait(list(self._asked), num_returns=1)
        for reference in answered:
            actor, number = self._asked.pop(reference)
            if actor not in self.actors:  # what a dead actor was asked is with the others now
                continue
            try:
                answer = self._ray.get(reference)
            except self._ray.exceptions.RayTaskError as error:
                raise HandshiftError(f"a Ray worker cannot start: {error.cause or error}") from error
            except self._ray.exceptions.RayError:  # the actor, its node, or the answer on that node is lost
                self._bury(actor, queue)
                continue
            if number is None:
                actor.ready = True
                continue
            actor.held.remove(number)
            queue.finish(number, *answer)

    def stop(self) -> None:
        for actor in self.actors:
            self._ray.kill(actor.handle)
        self.actors.clear()

    def _bury(self, actor: _Actor, queue: ItemQueue[Any, Any]) -> None:
        self.actors.remove(actor)
        for place, held in enumerate(actor.held):
            queue.give_back(held, died_in_hand=place == 0)
        self._failed_starts += not actor.ready
        if self._failed_starts > self._most_failures * 4:
            raise HandshiftError("Ray's workers die before their first item; see the logs of the cluster")
        try:
            self._ray.kill(actor.handle)
        except self._ray.exceptions.RayError:  # it is gone
            return


class _Holder:
    """In a worker of Ray: holds the work, and answers with (result, error)."""

    def __init__(self, factory: WorkFactory[Any, Any]) -> None:
        self._work = factory()

    def ready(self) -> None:
        return None

    def work(self, item: Any) -> tuple[Any, str | None]:
        try:
            return self._work(item), None
        except Exception as error:
            return None, f"{type(error).__name__}: {error}"


def _ray() -> Any:
    # Read when ray is imported: no report of its use over the network, no environment of `uv run`.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    # Ray 2.60 would else tell each worker that asks for no GPU to see none, with a warning.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    import ray.exceptions

    return ray
