"""Records of thousands of pages take up disk instead of memory."""

from __future__ import annotations

import tracemalloc

import pytest

from handshift.core.atomic import WriteError
from handshift.core.stored_records import RecordSpool


def test_a_spool_gives_back_what_was_appended_in_any_order():
    spool = RecordSpool()
    records: list[dict[str, object]] = [
        {"path": "a\udcff.png", "figure": 0.1 + 0.2},
        {"path": "b", "figure": None},
        {"path": "c"},
    ]
    for record in records:
        spool.append(record)
    assert spool[-1] == records[-1] and list(spool) == records
    spool.append(records[0])
    assert len(spool) == 4 and spool[3] == records[0] and spool[:2] == records[:2]


def test_the_memory_of_a_spool_does_not_grow_with_the_size_of_its_records():
    spool, record = RecordSpool(), {"words": list(range(2000))}
    for _ in range(200):  # more than it keeps in memory
        spool.append(record)
    tracemalloc.start()
    for _ in range(500):
        spool.append(record)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 100_000, "a record has 11,000 bytes"


def test_a_full_disk_is_a_clear_error(monkeypatch: pytest.MonkeyPatch):
    class Full:
        def seek(self, *_: int) -> int:
            return 0

        def write(self, _: bytes) -> int:
            raise OSError(28, "No space left on device")

    spool = RecordSpool()
    monkeypatch.setattr(spool, "_file", Full())
    with pytest.raises(WriteError, match="temporary files cannot be written"):
        spool.append({})
    assert len(spool) == 0
