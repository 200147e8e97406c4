"""A real Ray cluster of two nodes: everything finishes, nothing twice, nothing lost, the same verdicts."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handshift.cli.exits import Exit

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the `ray` extra"),
    pytest.mark.skipif(sys.platform == "win32", reason="Ray clusters of several nodes need Linux or macOS"),
]
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ray")


@pytest.fixture(scope="module")
def corpus(work: Path) -> Path:
    sys.path.insert(0, str(HERE.parent / "cli"))
    try:
        from drawn_corpus import draw_corpus
    finally:
        sys.path.pop(0)
    (work / "corpus").mkdir()
    return draw_corpus(work / "corpus", pages=4)


@pytest.fixture(scope="module")
def found(work: Path, corpus: Path) -> dict[str, Any]:
    paths = [str(HERE), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, str(HERE / "ray_scenario.py"), str(work), str(corpus)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAY_raylet_start_wait_time_s": "90"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads((work / "found.json").read_text())
    if "no cluster" in found:
        pytest.skip(f"Ray cannot start two nodes on this machine in time: {found['no cluster']}")
    return found


def test_a_killed_worker_loses_no_item(found: dict[str, Any]):
    assert found["workers"] == 2
    killed = found["killed"]
    items = [3, 13, -1, 5, -2, *range(20, 30)]
    assert killed["items"] == items
    assert killed["errors"].keys() == {"13", "-2"}
    assert "died 3 times" in killed["errors"]["-2"]
    assert killed["results"] == [None if item in (13, -2) else item * item for item in items]


def test_a_lost_node_loses_no_item(found: dict[str, Any]):
    assert found["lost"]["removed"]
    assert found["lost"]["results"] == [number * number for number in range(20, 60)]


def test_the_cluster_finds_what_one_process_finds(found: dict[str, Any], work: Path, corpus: Path):
    assert found["examined"] == Exit.SOME_FAILED
    command = [sys.executable, "-m", "handshift", "examine", str(corpus), "--no-report", "--workers", "1"]
    command += ["--json", str(work / "local.json")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == Exit.SOME_FAILED
    local, ray = (json.loads((work / name).read_text())["pages"] for name in ("local.json", "ray.json"))
    assert local == ray
