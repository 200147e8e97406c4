"""`RayTasks`: an engine of Ray tasks, each of which makes its work anew.

For work that takes minutes and holds nothing, such as the runs of a study, and for single items that
`RayData` lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from handshift.core.errors import HandshiftError
from handshift.engine.engine import Item, Outcome, Resources, Result, WorkFactory, described, died
from handshift.engine.item_queue import ItemQueue
from handshift.engine.ray_connection import RayEngine

Answer = tuple[Any, str | None]
"""Result, or why there is none."""
ALONE = 4
"""Lost items that are tried at the same time, beside the actors that have all processors."""


class RayTasks(RayEngine):
    """Runs each item in a task of its own, as many side by side as the cluster has workers."""

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
        tasks = SingleTasks(self._ray, factory, resources or Resources(), retries)
        asked: dict[Any, int] = {}
        try:
            while True:
                yield from queue.release()
                while len(asked) < self.workers and (taken := queue.take()) is not None:
                    number, item = taken
                    asked[tasks.ask(item)] = number
                if not asked:
                    return
                (answered, *_), _ = self._ray.wait(list(asked), num_returns=1)
                queue.finish(asked.pop(answered), *tasks.answer(answered))
        finally:
            for reference in asked:
                self._ray.cancel(reference, force=True)


class SingleTasks:
    """Work on single items, each in a process that holds no other.

    Args:
        ray: The connected module.
        factory: Makes the work.
        resources: Of one task.
        retries: How often Ray tries a task again whose process or node died.
    """

    def __init__(self, ray: Any, factory: WorkFactory[Any, Any], resources: Resources, retries: int) -> None:
        self._ray = ray
        self._tries = retries + 1
        self._factory = ray.put(factory)
        self._task = ray.remote(_do).options(max_retries=retries, **placement(resources))
        self._making = ray.remote(_make).options(max_retries=retries, **placement(resources))

    def check(self) -> None:
        """Make the work once, so that what is wrong with it is said once.

        Raises:
            HandshiftError: It cannot be made, or its process dies each time.
        """
        try:
            self._ray.get(self._making.remote(self._factory))
        except self._ray.exceptions.RayTaskError as error:
            raise HandshiftError(f"a Ray worker cannot start: {error.cause or error}") from error
        except self._ray.exceptions.RayError as error:
            raise HandshiftError(
                f"Ray's workers die before their first item ({type(error).__name__}); is there enough memory?"
            ) from error

    def ask(self, item: Any) -> Any:
        """Begin an item; a reference to its answer."""
        return self._task.remote(self._factory, item)

    def answer(self, reference: Any) -> Answer:
        """Wait for the result of an item, or why there is none.

        Raises:
            HandshiftError: The work cannot be made.
        """
        try:
            answer: Answer = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise HandshiftError(f"a Ray worker cannot start: {error.cause or error}") from error
        except self._ray.exceptions.RayError:
            return None, died(self._tries)
        return answer

    def answers(self, items: Sequence[Any]) -> Iterator[Answer]:
        """Work on some items, few at a time; their answers in order."""
        for start in range(0, len(items), ALONE):
            references = [self.ask(item) for item in items[start : start + ALONE]]
            yield from (self.answer(reference) for reference in references)


def placement(resources: Resources) -> dict[str, Any]:
    """What one worker needs, as Ray names it."""
    memory = {"memory": resources.memory} if resources.memory else {}
    return {"num_cpus": resources.processors, "num_gpus": resources.gpus, **memory}


def tried(work: Any, item: Any) -> Answer:
    """The result of an item, or the exception of its work."""
    try:
        return work(item), None
    except Exception as error:
        return None, described(error)


def _do(factory: WorkFactory[Any, Any], item: Any) -> Answer:
    return tried(factory(), item)


def _make(factory: WorkFactory[Any, Any]) -> None:
    factory()
