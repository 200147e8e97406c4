"""Which item is charged with the death of a worker."""

from __future__ import annotations

from handshift.engine.item_queue import ItemQueue


def test_an_item_that_ends_every_worker_is_an_error():
    queue: ItemQueue[str, str] = ItemQueue("a", workers=1, retries=2)
    for _ in range(3):
        assert queue.take() is not None
        queue.give_back(0, died_in_hand=True)
    (outcome,) = queue.release()
    assert outcome.error is not None and "died 3 times" in outcome.error
