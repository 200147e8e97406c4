"""A workbench on the demo pages, with its real computation, for the tests of its parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from fastapi.testclient import TestClient
from postgres_server import postgres_server

from handshift.web.app import create_app
from handshift.web.settings import ServerSettings

BASE = "http://127.0.0.1:8321"
PATIENCE = 180.0
"""Seconds for a job on a busy machine."""


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One server for all tests, on either database: its model is loaded once."""
    folder = tmp_path_factory.mktemp("bench")
    with ExitStack() as stack:
        url = ""
        if request.param == "postgresql":
            url = stack.enter_context(postgres_server())
        settings = ServerSettings(folder, database=url, max_upload=8 << 20)
        yield stack.enter_context(TestClient(create_app(settings), base_url=BASE))


@pytest.fixture(scope="session")
def finished(client: TestClient) -> Callable[[int], dict[str, Any]]:
    """Wait until all jobs of a case have ended; the case then."""

    def wait(case_id: int) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            case: dict[str, Any] = client.get(f"/api/cases/{case_id}").json()
            if all(job["state"] in {"done", "failed"} for job in case["jobs"]):
                return case
            time.sleep(0.1)
        raise TimeoutError(f"case {case_id} is still at work")

    return wait


@pytest.fixture(scope="session")
def demo_case(client: TestClient, finished: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """The guided first case, examined. Tests that correct a page open a case of their own."""
    return finished(client.post("/api/demo").json()["id"])


@pytest.fixture
def empty_case(client: TestClient) -> int:
    """A new case without exhibits."""
    case_id: int = client.post("/api/cases", json={"name": "of a test"}).json()["id"]
    return case_id


@pytest.fixture(scope="session")
def demo_page() -> Path:
    """The bundled page by two hands."""
    from handshift.demo import TWO_HANDS

    return TWO_HANDS
