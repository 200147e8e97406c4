"""The shared data, for the tests that need them."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder `shared/data` beside the project; tests that ask for it are skipped where there is none."""
    folder = Path(__file__).parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data are not here")
    return folder
