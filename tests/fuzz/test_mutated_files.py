"""Mutated files end as a result or as one HandshiftError; no reader raises anything else.

Every case has a seed of its own; `benchmarks/trust.py` runs the same cases by the hundred thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mutation import mutated, seed_of
from reader_targets import TARGETS

from handshift.core.errors import HandshiftError

CASES = 40


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.filterwarnings("ignore")  # a damaged file may warn
def test_a_mutated_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    path = target.prepare(tmp_path)
    for case, content in enumerate(target.corpus):
        check(target.read, path, content, f"file {case} of the corpus")
    for case in range(CASES):
        content = mutated(target.corpus, np.random.default_rng(seed_of(name, case)))
        check(target.read, path, content, f"case {case}")


def check(read: Callable[[Path], object], path: Path, content: bytes, what: str) -> None:
    path.write_bytes(content)
    try:
        read(path)
    except HandshiftError as error:
        assert str(error), f"{what} is refused without a reason"
