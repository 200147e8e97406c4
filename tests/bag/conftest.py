"""A small collection of words by six writers, with pages of different lengths."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest


@pytest.fixture(scope="session")
def words():
    """Three sessions, two prompts, two pages of each, 30 to 39 words on a page, lines of 6."""
    rng = np.random.default_rng(0)
    rows = [
        (f"{writer}{session}{prompt}{page}", writer, session, prompt, place // 6)
        for writer in "abcdef"
        for session in (1, 2, 3)
        for prompt in ("LND", "PHR")
        for page in (1, 2)
        for place in range(rng.integers(30, 40))
    ]
    page, writer, session, prompt, line = (np.array(column) for column in zip(*rows, strict=True))
    return SimpleNamespace(page=page, writer=writer, session=session, prompt=prompt, line=line)
