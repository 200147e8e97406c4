"""`RayData`: an engine that streams items through the actors of a Ray dataset.

A row of the dataset is one item and a block of its own, so that an actor that dies loses two blocks at most:
the one in hand and the one waiting. Ray Data is set not to try them again in the same pool: an actor of a
lost node keeps them until there is room for it, and an item that ends every actor would be tried for ever.
Rows come in the order of the items, hence a number that is left out shows at once what was lost; it is tried
in a task of its own, a limited number of times.
"""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from handshift.core.errors import HandshiftError
from handshift.engine.engine import AHEAD, Item, Outcome, Resources, Result, WorkFactory
from handshift.engine.ray_connection import RayEngine
from handshift.engine.ray_tasks import Answer, SingleTasks, placement, tried

ITEMS_A_WORKER = 512
"""Of one dataset. Its rows and their results are what the caller holds; its actors start within 5 s, once for
minutes of work."""


class RayData(RayEngine):
    """Runs work in the actors of Ray datasets, as many side by side as the cluster has workers."""

    def map(
        self,
        factory: WorkFactory[Item, Result],
        items: Iterable[Item],
        *,
        resources: Resources | None = None,
        retries: int = 2,
    ) -> Iterator[Outcome[Item, Result]]:
        """As `Engine.map`, but items are taken `ITEMS_A_WORKER` × workers at a time."""
        needs, waiting = resources or Resources(), iter(items)
        # The actors have all processors; what they lost is tried beside them.
        alone = SingleTasks(self._ray, factory, replace(needs, processors=0.0, gpus=0.0), retries)
        begun = False
        while part := list(islice(waiting, ITEMS_A_WORKER * self.workers)):
            if not begun:
                SingleTasks(self._ray, factory, needs, retries).check()
                begun = True
            received = self._received(_Rows(factory, part, min(self.workers, len(part)), needs), retries)
            for item, answer in zip(part, _gaps_filled(received, part, alone), strict=True):
                yield Outcome(item, *answer)

    def _received(self, rows: _Rows, retries: int) -> Iterator[tuple[int, Answer]]:
        """Answers with the numbers of their items, ascending; the numbers of lost items are left out."""
        due, fruitless = 0, 0
        while True:
            try:
                for number, answer in rows.stream(due):
                    yield number, answer
                    due, fruitless = number + 1, 0
                return
            except self._ray.exceptions.RayError as error:  # a result is lost with the node that held it
                fruitless += 1
                if fruitless > retries:
                    raise HandshiftError(f"Ray gives no result ({error}); see its logs") from error


@dataclass(frozen=True, slots=True)
class _Rows:
    """The dataset of consecutive items and the actors that work on it."""

    factory: WorkFactory[Any, Any]
    items: Sequence[Any]
    workers: int
    needs: Resources

    def stream(self, first: int) -> Iterator[tuple[int, Answer]]:
        """Work on the items from a number on; the actors end with the stream."""
        import ray.data
        from ray.data.exceptions import ExecutionTimeoutError

        # Bytes: of objects, Ray Data would make tensors and tables of its own.
        rows = [
            {"number": number, "item": pickle.dumps(self.items[number])}
            for number in range(first, len(self.items))
        ]
        # With a node lost there may be room for fewer.
        pool = ray.data.ActorPoolStrategy(
            min_size=1,
            max_size=self.workers,
            initial_size=self.workers,
            max_tasks_in_flight_per_actor=AHEAD,
        )
        with _quiet_context():
            holder: Any = _Holder
            dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
                holder,
                fn_constructor_args=(self.factory,),
                compute=pool,
                max_task_retries=0,
                **placement(self.needs),
            )
            answers: Any = iter(dataset.iter_rows())
        with closing(answers):
            try:
                for row in answers:
                    yield row["number"], pickle.loads(row["answer"])
            except ExecutionTimeoutError as error:  # after half an hour
                raise HandshiftError(
                    "the Ray cluster has finished nothing for long; is there room for a worker?"
                ) from error


class _Holder:
    """In an actor: holds the work."""

    def __init__(self, factory: WorkFactory[Any, Any]) -> None:
        self._work = factory()

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        answer = tried(self._work, pickle.loads(row["item"]))
        return {"number": row["number"], "answer": pickle.dumps(answer)}


def _gaps_filled(
    received: Iterator[tuple[int, Answer]], items: Sequence[Any], alone: SingleTasks
) -> Iterator[Answer]:
    """An answer for each item: those received, and in their places those of lost items."""
    due = 0
    for number, answer in received:
        yield from alone.answers(items[due:number])
        yield answer
        due = number + 1
    yield from alone.answers(items[due:])


@contextmanager
def _quiet_context() -> Iterator[None]:
    """Ray Data's settings for a dataset made within: in order, nothing printed, no end at a loss."""
    import ray.data

    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):  # the others write Ray's own logs
            handler.setLevel(logging.CRITICAL)
    context = ray.data.DataContext.get_current().copy()
    context.enable_progress_bars = context.print_on_execution_start = False
    context.max_errored_blocks = -1
    context.execution_options.preserve_order = True
    with ray.data.DataContext.current(context), warnings.catch_warnings():
        # Ray 2.60 means to have no `max_task_retries` from 2.64 on; the extra is limited to what is before.
        warnings.simplefilter("ignore")
        yield
