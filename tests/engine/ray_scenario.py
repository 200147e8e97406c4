"""Scenarios on a real Ray cluster of two nodes.

What came of them is in WORK/found.json: Ray prints what it likes, when it likes.
A program of its own: Ray warns, forks and leaves threads that would outlive the test that made them.
Usage: ray_scenario.py WORK CORPUS WORDS
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from countdown import Squares
from killed_run import KILL_AFTER
from tiny_study import tiny_study
from two_nodes import NoClusterError, two_nodes

from handshift.engine.ray_connection import RayCluster
from handshift.engine.ray_data import RayData
from handshift.engine.ray_tasks import RayTasks
from handshift.study.runner import StudyFolders, run_study
from handshift.study.spec import StudySpec


def main(work: Path, corpus: Path, words: Path) -> None:
    try:
        with two_nodes() as (engine, cluster, second):
            on = ["--engine", "ray", "--address", cluster.address]
            found = {
                "workers": engine.workers,
                "killed": worker_killed(engine, work / "killed"),
                "examined": command("examine", corpus, *on, "--no-report", "--json", work / "ray.json"),
                "continued": continued(corpus, work / "parts", on),
                "embedded": command("embed", words, *on, "--cut", "word", "--out", work / "ray-vectors"),
                "studied": studied(RayTasks(RayCluster(cluster.address)), work / "ray-study"),
                "lost": node_lost(engine, work / "lost", lambda: cluster.remove_node(second)),
            }
    except NoClusterError as error:
        found = {"no cluster": str(error)}
    (work / "found.json").write_text(json.dumps(found))


def worker_killed(engine: RayData, notes: Path) -> dict[str, Any]:
    """One item ends its worker once, one each time, one raises."""
    notes.mkdir()
    items = [3, 13, -1, 5, -2, *range(20, 30)]
    outcomes = list(engine.map(Squares(notes), items, retries=2))
    return {
        "items": [outcome.item for outcome in outcomes],
        "results": [outcome.result[0] if outcome.result else None for outcome in outcomes],
        "errors": {str(outcome.item): outcome.error for outcome in outcomes if outcome.error},
    }


def node_lost(engine: RayData, notes: Path, remove: Any) -> dict[str, Any]:
    """The second node is taken away while both work."""
    notes.mkdir()
    results, removed = [], False
    for outcome in engine.map(Squares(notes, seconds=0.3), range(20, 60)):
        results.append(outcome.result[0] if outcome.result else outcome.error)
        if not removed and len({note.read_text().split()[0] for note in notes.iterdir()}) == 2:
            remove()
            removed = True
    pids = {note.read_text().split()[-1] for note in notes.iterdir()}
    return {"results": results, "removed": removed, "workers": len(pids)}


def command(*arguments: object, code: str = "") -> int:
    """The command itself, as a second driver of the same cluster; its exit code."""
    lines = ("from handshift.cli import main", f"if __name__ == '__main__':{code}", "    main()")
    script = "\n".join(lines)
    called = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(called, timeout=600, check=False, stdout=subprocess.DEVNULL).returncode


def continued(corpus: Path, parts: Path, on: list[str]) -> list[int]:
    """A run of this process that is killed after two pages, then the same on the cluster."""
    dies = KILL_AFTER.format(pages=2, signal="SIGKILL").replace("\n", "\n    ")
    return [
        command("examine", corpus, "--parquet", parts, code=dies),
        command("examine", corpus, "--parquet", parts, *on),
    ]


def studied(engine: RayTasks, folder: Path) -> list[str]:
    """Two seeds, one of which fails."""
    spec = StudySpec.model_validate({**tiny_study(), "task": "tiny_study:CURSED"})
    failed = run_study(spec, StudyFolders(folder / "results", folder / "work"), draft=True, engine=engine)
    return [f"{event.run.variant}, seed {event.run.seed}: {event.error}" for event in failed]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
