"""Which item is charged with the death of a worker."""

from __future__ import annotations

from handshift.engine.item_queue import ItemQueue


def test_an_item_whose_worker_died_goes_to_an_idle_worker_alone():
    queue: ItemQueue[str, str] = ItemQueue("abc", workers=1, retries=2)
    assert [queue.take(), queue.take()] == [(0, "a"), (1, "b")]
    queue.give_back(0, died_in_hand=True)
    queue.give_back(1, died_in_hand=False)
    assert queue.is_suspect(0) and not queue.is_suspect(1)
    assert queue.take(idle=False) is None
    assert queue.take(idle=True) == (0, "a")
    assert queue.take(idle=False) == (1, "b")
    queue.finish(0, "done")
    assert not queue.is_suspect(0)


def test_an_item_that_ends_every_worker_is_an_error():
    queue: ItemQueue[str, str] = ItemQueue("a", workers=1, retries=2)
    for _ in range(3):
        assert queue.take() is not None
        queue.give_back(0, died_in_hand=True)
    (outcome,) = queue.release()
    assert outcome.error is not None and "died 3 times" in outcome.error
