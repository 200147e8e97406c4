"""Scenarios on a real Ray cluster of two nodes, each a set of processes of its own.

What came of them is in WORK/found.json: Ray prints what it likes, when it likes.
A program of its own: Ray warns, forks and leaves threads that would outlive the test that made them.
Usage: ray_scenario.py WORK CORPUS
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from countdown import Squares

from handshift.engine.ray_cluster import RayCluster, _ray


def main(work: Path, corpus: Path) -> None:
    _ray()
    from ray.cluster_utils import Cluster

    try:
        cluster = Cluster(initialize_head=True, head_node_args={**node(), "include_dashboard": False})
        second = cluster.add_node(**node())
    except Exception as error:  # Ray raises a bare one where a node does not come up in time
        (work / "found.json").write_text(json.dumps({"no cluster": str(error)}))
        return
    try:
        found = {
            "workers": (engine := RayCluster(cluster.address)).workers,
            "killed": worker_killed(engine, work / "killed"),
            "examined": examined(cluster.address, corpus, work),
            "lost": node_lost(engine, work / "lost", lambda: cluster.remove_node(second)),
        }
        (work / "found.json").write_text(json.dumps(found))
    finally:
        engine.close()
        cluster.shutdown()


def node() -> dict[str, Any]:
    """Settings of a node; where its agents choose their ports themselves, Ray waits for them 15 s only."""
    agents = (
        "metrics_agent_port",
        "metrics_export_port",
        "dashboard_agent_listen_port",
        "runtime_env_agent_port",
    )
    with ExitStack() as stack:
        sockets = [stack.enter_context(closing(socket.socket())) for _ in agents]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = {name: one.getsockname()[1] for name, one in zip(agents, sockets, strict=True)}
    return {"num_cpus": 1, "object_store_memory": 80 << 20, **ports}


def worker_killed(engine: RayCluster, notes: Path) -> dict[str, Any]:
    """One item ends its worker once, one each time, one raises."""
    notes.mkdir()
    items = [3, 13, -1, 5, -2, *range(20, 30)]
    outcomes = list(engine.map(Squares(notes), items, retries=2))
    return {
        "items": [outcome.item for outcome in outcomes],
        "results": [outcome.result[0] if outcome.result else None for outcome in outcomes],
        "errors": {str(outcome.item): outcome.error for outcome in outcomes if outcome.error},
    }


def node_lost(engine: RayCluster, notes: Path, remove: Any) -> dict[str, Any]:
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


def examined(address: str, corpus: Path, work: Path) -> int:
    """The command itself, as a second driver of the same cluster."""
    command = [
        sys.executable,
        "-m",
        "handshift",
        "examine",
        str(corpus),
        "--engine",
        "ray",
        "--address",
        address,
    ]
    command += ["--no-report", "--json", str(work / "ray.json")]
    until = time.monotonic() + 600
    done = subprocess.run(command, timeout=until - time.monotonic(), check=False, stdout=subprocess.DEVNULL)
    return done.returncode


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
