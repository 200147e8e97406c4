"""One thread for the toy models here: they are too small to share, and other work runs beside the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch


# For the module: its shared trainings run before any single test is set up.
@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
