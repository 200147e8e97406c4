"""`ItemQueue`: which items are still to do, in hand or finished; the same for every engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Generic

from handshift.engine.engine import BUFFERED, Item, Outcome, Result, died


class ItemQueue(Generic[Item, Result]):
    """Hands items out, takes outcomes in any order and releases them in the order of the items.

    Args:
        items: Taken one by one.
        workers: Of the engine; bounds how far the last item handed out is ahead of the first unfinished.
        retries: How often an item is handed out again after its worker died.
    """

    def __init__(self, items: Iterable[Item], workers: int, retries: int) -> None:
        self._items = iter(items)
        self._window = BUFFERED * workers
        self._retries = retries
        self._again: deque[int] = deque()
        self._open: dict[int, Item] = {}
        self._deaths: dict[int, int] = {}
        self._finished: dict[int, Outcome[Item, Result]] = {}
        self._next = self._released = 0
        self._exhausted = False

    def take(self) -> tuple[int, Item] | None:
        """The next item with its number; None if there is none, or too many results wait to be released."""
        number = self._again.popleft() if self._again else self._fresh()
        return None if number is None else (number, self._open[number])

    def more_waiting_than(self, count: int) -> bool:
        """Whether more than so many items wait to be handed out."""
        while len(self._again) <= count and (fresh := self._fresh()) is not None:
            self._again.append(fresh)
        return len(self._again) > count

    def give_back(self, number: int, *, died_in_hand: bool) -> None:
        """Take back an item of a worker that died; one that dies with every worker becomes an error."""
        if number not in self._open:
            return
        self._deaths[number] = self._deaths.get(number, 0) + died_in_hand
        if self._deaths[number] > self._retries:
            self.finish(number, error=died(self._deaths[number]))
        else:
            self._again.append(number)

    def finish(self, number: int, result: Result | None = None, error: str | None = None) -> None:
        """Take the outcome of an item; a second one of the same item is dropped."""
        if number in self._open:
            self._finished[number] = Outcome(self._open.pop(number), result, error)
            self._deaths.pop(number, None)

    def release(self) -> Iterator[Outcome[Item, Result]]:
        """Yield the outcomes that no earlier item holds up."""
        while self._released in self._finished:
            outcome = self._finished.pop(self._released)
            self._released += 1
            yield outcome

    def _fresh(self) -> int | None:
        """Read one more item, unless too many results wait to be released."""
        if self._exhausted or self._next - self._released >= self._window:
            return None
        try:
            item = next(self._items)
        except StopIteration:
            self._exhausted = True
            return None
        number, self._next = self._next, self._next + 1
        self._open[number] = item
        return number

    @property
    def unfinished(self) -> bool:
        """Whether there are items that have no outcome yet, as far as the iterable was read."""
        return bool(self._open)
