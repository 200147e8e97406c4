"""A real Ray cluster of two nodes on this machine, each a set of processes of its own.

``benchmarks/engine.py`` measures on it too.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import wraps
from typing import Any

from handshift.engine.ray_connection import RayCluster, ray_module
from handshift.engine.ray_data import RayData

PATIENCE = 180.0
"""Seconds until a node is given up."""


class NoClusterError(Exception):
    """Ray did not start both nodes in time."""


@contextmanager
def two_nodes() -> Iterator[tuple[RayData, Any, Any]]:
    """Start both nodes: the engine connected with them, Ray's cluster, and the node to take away."""
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "90")  # read when ray is imported
    ray = ray_module()
    from ray._private import services
    from ray.cluster_utils import Cluster

    services.get_node = patient(services.get_node)
    try:
        cluster: Any = Cluster(initialize_head=True, head_node_args={**_node(), "include_dashboard": False})
        second = cluster.add_node(**_node())
    except Exception as error:  # Ray raises a bare one where a node does not come up in time
        raise NoClusterError(str(error)) from error
    try:
        yield RayData(RayCluster(cluster.address)), cluster, second
    finally:
        ray.shutdown()
        cluster.shutdown()


def patient(get_node: Callable[..., Any]) -> Callable[..., Any]:
    """Ask for a new node as long as `PATIENCE`: Ray 2.60 gives up after 30 s, too short on a busy machine."""

    @wraps(get_node)
    def ask(*arguments: Any) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return get_node(*arguments)
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)

    return ask


def _node() -> dict[str, Any]:
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
