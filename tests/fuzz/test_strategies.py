"""Any JSON in place of any field, any bytes in place of any file: read, or refused by one HandshiftError."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reader_targets import TARGETS

from handshift.core.errors import HandshiftError

JSON_READERS = [
    *("card", "findings", "split", "gallery", "bags", "scale"),
    *("page-calibration", "pair-calibration", "hands-calibration", "map-model"),
    *("scope", "operating-points", "combination", "store", "iiif"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
QUICK = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)


def attempt(name: str, content: bytes) -> None:
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = target.prepare(Path(folder))
        path.write_bytes(content)
        try:
            target.read(path)
        except HandshiftError as error:
            assert str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", JSON_READERS)
def test_any_value_in_place_of_a_field_is_read_or_refused(name: str) -> None:
    valid = json.loads(TARGETS[name].seed())

    @QUICK
    @given(st.sampled_from(sorted(valid)), VALUES)
    def replaced(field: str, value: object) -> None:
        attempt(name, json.dumps(valid | {field: value}).encode())

    replaced()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_any_bytes_are_read_or_refused(name: str) -> None:
    start = TARGETS[name].seed()[:64]

    @settings(QUICK, max_examples=8)
    @given(st.binary(max_size=200), st.integers(0, 64))
    def bytes_after_a_true_start(tail: bytes, kept: int) -> None:
        attempt(name, start[:kept] + tail)

    bytes_after_a_true_start()
