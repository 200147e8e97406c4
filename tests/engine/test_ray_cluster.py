"""A real Ray cluster of two nodes: everything finishes, nothing twice, nothing lost, the same verdicts.

``HANDSHIFT_RAY_PAGES=300 pytest tests/engine/test_ray_cluster.py`` examines so many pages in place of four.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from handshift.cli.exits import Exit
from handshift.study.results import load_results

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the `ray` extra"),
    pytest.mark.skipif(sys.platform == "win32", reason="Ray clusters of several nodes need Linux or macOS"),
]
HERE = Path(__file__).parent
PAGES = int(os.environ.get("HANDSHIFT_RAY_PAGES", "4"))


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
    return draw_corpus(work / "corpus", pages=PAGES)


@pytest.fixture(scope="module")
def words(work: Path) -> Path:
    """Pictures of words, <writer>/<word>_<repetition>.png."""
    for writer, slant in (("upright", 0), ("italic", cv2.FONT_ITALIC)):
        (work / "words" / writer).mkdir(parents=True)
        for word in ("parcel", "Friday"):
            picture = np.full((64, 200), 255, np.uint8)
            cv2.putText(picture, word, (8, 44), cv2.FONT_HERSHEY_SIMPLEX | slant, 1.4, 20, 3)
            cv2.imwrite(str(work / "words" / writer / f"{word}_0.png"), picture)
    return work / "words"


@pytest.fixture(scope="module")
def found(work: Path, corpus: Path, words: Path) -> dict[str, Any]:
    paths = [str(HERE), *(str(HERE.parent / name) for name in ("cli", "study")), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, str(HERE / "ray_scenario.py"), str(work), str(corpus), str(words)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=900 + 20 * PAGES,
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
    options = ["--no-report", "--workers", "1", "--json", str(work / "local.json")]
    assert handshift("examine", str(corpus), *options) == Exit.SOME_FAILED
    local, ray = (json.loads((work / name).read_text())["pages"] for name in ("local.json", "ray.json"))
    assert len(local) == PAGES + 3 and local == ray


def test_the_cluster_continues_the_journal_of_a_run_that_was_killed(
    found: dict[str, Any], work: Path, corpus: Path
):
    killed, continued = found["continued"]
    assert killed < 0 and continued == Exit.SOME_FAILED
    assert handshift("examine", str(corpus), "--parquet", str(work / "whole")) == Exit.SOME_FAILED
    names = sorted(path.name for path in (work / "whole").glob("part-*"))
    assert names and names == sorted(path.name for path in (work / "parts").glob("part-*"))
    assert all((work / "whole" / name).read_bytes() == (work / "parts" / name).read_bytes() for name in names)


def test_the_cluster_embeds_what_one_process_embeds(found: dict[str, Any], work: Path, words: Path):
    assert found["embedded"] == Exit.ALL_EXAMINED
    assert handshift("embed", str(words), "--cut", "word", "--out", str(work / "vectors")) == 0
    for name in ("vectors.npy", "words.csv"):
        assert (work / "vectors" / name).read_bytes() == (work / "ray-vectors" / name).read_bytes()


def test_the_runs_of_a_study_are_tasks_of_the_cluster(found: dict[str, Any], work: Path):
    assert found["studied"] == [f"lr={lr}, seed 2: ValueError: seed 2 is cursed" for lr in (0.01, 0.02)]
    runs = load_results(work / "ray-study" / "results" / "tiny").provenance.runs
    assert [(run.variant, run.seed) for run in runs] == [("lr=0.01", 1), ("lr=0.02", 1)]


def handshift(*arguments: str) -> int:
    command = [sys.executable, "-m", "handshift", *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode
