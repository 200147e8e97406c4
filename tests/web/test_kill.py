"""kill -9 in the middle of a job: nothing is lost, nothing is done twice, the log's chain is whole."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from serving import RunningServer

from handshift.demo import ONE_HAND, TWO_HANDS

KILLS = int(os.environ.get("HANDSHIFT_KILLS", "2"))
"""Twenty for the record; two in every run of the suite."""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A TIFF of eight pages."""
    from PIL import Image

    images = [Image.open(path).convert("L") for path in (TWO_HANDS, ONE_HAND)] * 4
    path = tmp_path / "letters.tiff"
    images[0].save(path, save_all=True, append_images=images[1:], compression="tiff_deflate")
    return path


def _upload(server: RunningServer, case_id: int, path: Path) -> None:
    import httpx

    with path.open("rb") as file:
        answer = httpx.post(
            f"{server.address}/api/cases/{case_id}/exhibits", files={"files": file}, timeout=60
        )
    assert answer.status_code == 201, answer.text


def _settled(server: RunningServer, case_id: int, patience: float) -> dict[str, Any]:
    until = time.monotonic() + patience
    while True:
        case: dict[str, Any] = server.ask(f"/api/cases/{case_id}")
        if time.monotonic() > until or all(job["state"] in {"done", "failed"} for job in case["jobs"]):
            return case
        time.sleep(0.2)


def test_a_killed_server_goes_on_where_it_was(tmp_path: Path, pages: Path) -> None:
    chance = random.Random(7)
    folder = tmp_path / "bench"
    server = RunningServer(folder)
    case_id = server.ask("/api/cases", "POST", {"name": "a long job"})["id"]
    _upload(server, case_id, pages)
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.5, 6.0))
        seen = len(server.ask(f"/api/cases/{case_id}")["exhibits"][0]["pages"])
        server.kill()
        server = RunningServer(folder)
        kept = len(server.ask(f"/api/cases/{case_id}")["exhibits"][0]["pages"])
        assert kept >= seen
        assert server.ask("/api/log/verify")["intact"]
    case = _settled(server, case_id, 240)
    (job,) = case["jobs"]
    numbers = [page["number"] for page in case["exhibits"][0]["pages"]]
    if job["state"] == "done":
        assert numbers == list(range(1, 9))
    else:  # given up after three deaths during it, and said so
        assert "three times" in job["error"] and numbers == sorted(set(numbers))
    examined = [line for line in server.ask("/api/log") if line["action"] == "page.examined"]
    assert len(examined) == len(numbers)
    assert server.ask("/api/log/verify")["intact"]
    server.kill()
