"""`Engine`: one call, `map`, that applies a function to many items in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

Work = Callable[[Item], Result]
"""Applied to one item; holds what is expensive to load, such as an ONNX session."""
WorkFactory = Callable[[], Callable[[Item], Result]]
"""Picklable; called once in each worker process to make its `Work`."""

AHEAD = 2
"""Items that a worker holds: one in hand and one waiting, so that it never waits for the next."""
BUFFERED = 16
"""Finished results a worker that wait for an earlier item, before no further item is handed out."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What one worker needs; a cluster places workers by it."""

    processors: float = 1.0
    gpus: float = 0.0
    memory: int = 0
    """Bytes; 0 for no demand."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Result]):
    """What became of one item: its result, or why there is none."""

    item: Item
    result: Result | None = None
    error: str | None = None
    """The exception of the work, or that the worker died with this item each time it was tried."""


class Engine(Protocol):
    """Runs work on many items."""

    workers: int
    """Worker processes side by side."""

    def map(
        self,
        factory: WorkFactory[Item, Result],
        items: Iterable[Item],
        *,
        resources: Resources | None = None,
        retries: int = 2,
    ) -> Iterator[Outcome[Item, Result]]:
        """Apply work to every item; outcomes come in the order of the items, each exactly once.

        Items are taken from the iterable as workers become free, and none is handed out while
        `BUFFERED` × workers results wait to be taken: memory does not grow with the number of items.

        Args:
            factory: Makes the work, once in each worker.
            items: Any number of picklable items.
            resources: What one worker needs.
            retries: How often an item is tried again whose worker died. An exception that the work raises is
                its outcome and is not tried again.

        Yields:
            One outcome for each item.

        Raises:
            HandshiftError: No worker can be started.
        """
        ...


def died(times: int) -> str:
    """The error of an item whose worker died each time."""
    return f"its worker process died {times} times (killed, or out of memory); leave it out or give it more"


def described(error: BaseException) -> str:
    """The error of an item whose work raised an exception."""
    return f"{type(error).__name__}: {error}"
