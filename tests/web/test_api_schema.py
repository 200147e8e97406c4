"""Requests generated from the OpenAPI schema: whatever is asked, the server never fails."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from serving import RunningServer

from handshift.web.app import create_app
from handshift.web.settings import ServerSettings

schemathesis = pytest.importorskip("schemathesis", reason="the dev extra brings schemathesis")
EXAMPLES = int(os.environ.get("HANDSHIFT_API_EXAMPLES", "8"))
"""Requests for each operation: few in every run of the suite; 40 make more than 2,000 in all."""
MANY = 40
PATIENCE = 60
"""Seconds for an answer; schemathesis gives up after ten, which a busy machine passes."""
STREAMS = {"/api/events"}  # never ends


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with one case, so that requests find something."""
    running = RunningServer(tmp_path_factory.mktemp("bench"))
    running.ask("/api/demo", "POST")
    yield running
    running.kill()


def _schema() -> Any:
    app = create_app(ServerSettings(Path("unused")))
    loaded = schemathesis.openapi.from_dict(app.openapi())
    return loaded.exclude(path=list(STREAMS))


schema = _schema()
answers: Counter[int] = Counter()
"""Requests made, by the status of the answer."""


@schema.parametrize()  # type: ignore[untyped-decorator]
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
def test_no_request_makes_the_server_fail(case: Any, server: RunningServer) -> None:
    response = case.call(base_url=server.address, timeout=PATIENCE)
    answers[response.status_code] += 1
    assert response.status_code < 500, (case.method, case.path, response.text[:300])


def test_how_many_requests_were_made(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{answers.total():,} generated requests, answered with {dict(sorted(answers.items()))}")
    assert answers.total() > (2000 if EXAMPLES >= MANY else 0)
