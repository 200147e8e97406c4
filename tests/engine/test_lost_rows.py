"""What Ray Data loses is noticed and done again; without a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from handshift.core.errors import HandshiftError
from handshift.engine.ray_data import RayData, _gaps_filled


class LostError(Exception):
    """A result that went with its node."""


class Alone:
    """In place of `SingleTasks`."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answers(self, items: Sequence[str]) -> Iterator[tuple[str, None]]:
        self.asked += items
        return ((item.upper(), None) for item in items)


class Rows:
    """In place of the dataset: each stream ends after some rows, with a result that is lost."""

    def __init__(self, rows: int, lost: int) -> None:
        self.rows, self.lost = rows, lost
        self.begun: list[int] = []

    def stream(self, first: int) -> Iterator[tuple[int, tuple[int, None]]]:
        self.begun.append(first)
        for number in range(first, self.rows):
            if number - first == self.lost:
                raise LostError
            yield number, (number, None)


@pytest.fixture
def engine() -> Any:
    ray = SimpleNamespace(exceptions=SimpleNamespace(RayError=LostError))
    cluster: Any = SimpleNamespace(ray=ray, workers=2)
    return RayData(cluster)


def test_rows_that_are_left_out_are_done_alone_in_their_places():
    received = iter([(1, ("B", None)), (2, ("C", None)), (5, ("F", None))])
    alone: Any = Alone()
    answers = list(_gaps_filled(received, "abcdefg", alone))
    assert [answer for answer, _ in answers] == list("ABCDEFG")
    assert alone.asked == ["a", "d", "e", "g"]


def test_a_stream_that_lost_a_result_begins_anew_with_it(engine: Any):
    rows = Rows(rows=8, lost=3)
    assert [number for number, _ in engine._received(rows, retries=2)] == list(range(8))
    assert rows.begun == [0, 3, 6]


def test_streams_without_any_result_are_given_up(engine: Any):
    rows = Rows(rows=8, lost=0)
    with pytest.raises(HandshiftError, match="gives no result"):
        list(engine._received(rows, retries=2))
    assert rows.begun == [0, 0, 0]
