"""Processes of this machine: every item has one outcome, in order, whatever becomes of the workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from countdown import Broken, Squares

from handshift.core.errors import HandshiftError
from handshift.engine.choose_engine import choose_engine
from handshift.engine.engine import BUFFERED
from handshift.engine.item_queue import ItemQueue
from handshift.engine.local_processes import LocalProcesses


def test_outcomes_come_in_the_order_of_the_items_whatever_becomes_of_the_workers(tmp_path: Path):
    items = [3, 13, -1, 5, -2, *range(20, 40)]
    outcomes = list(LocalProcesses(2).map(Squares(tmp_path), items, retries=2))
    assert [outcome.item for outcome in outcomes] == items
    errors = {outcome.item: outcome.error for outcome in outcomes if outcome.error}
    assert errors.keys() == {13, -2}
    assert errors[13] == "ValueError: thirteen"
    assert "died 3 times" in str(errors[-2])
    assert {outcome.item: outcome.result[0] for outcome in outcomes if outcome.result} == {
        item: item * item for item in items if item not in errors
    }
    tries = {item: len((tmp_path / str(item)).read_text().splitlines()) for item in items}
    assert tries.pop(-1) == 2 and tries.pop(-2) == 3
    assert set(tries.values()) == {1}


def test_work_that_cannot_be_made_is_one_error(tmp_path: Path):
    with pytest.raises(HandshiftError, match="no model called words-9"):
        list(LocalProcesses(1).map(Broken(), [1]))


def test_an_address_belongs_to_a_cluster():
    with pytest.raises(HandshiftError, match="--engine ray"):
        choose_engine(address="10.0.0.1:6379")


def test_items_are_read_only_so_far_ahead_as_results_are_taken():
    read: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    queue: ItemQueue[int, int] = ItemQueue(items(), workers=2, retries=0)
    while (taken := queue.take()) is not None:
        if taken[0]:  # the first is never finished
            queue.finish(taken[0], result=0)
    assert not list(queue.release())
    assert len(read) == 2 * BUFFERED


def test_a_second_outcome_of_an_item_is_dropped():
    queue: ItemQueue[str, int] = ItemQueue(["a"], workers=1, retries=1)
    taken = queue.take()
    assert taken == (0, "a")
    queue.give_back(0, died_in_hand=True)
    assert queue.take() == (0, "a")
    queue.finish(0, result=1)
    queue.finish(0, result=2)
    queue.give_back(0, died_in_hand=True)
    assert [outcome.result for outcome in queue.release()] == [1]
    assert not queue.unfinished and queue.take() is None
