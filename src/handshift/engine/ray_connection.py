"""`RayCluster`: a connection with a Ray cluster; `RayEngine`: what its engines share; Ray's settings."""

from __future__ import annotations

import os
from typing import Any

from handshift.core.errors import HandshiftError


class RayCluster:
    """A connection with a cluster.

    Args:
        address: ``host:port`` of the cluster's head, or "auto" for one that runs on this machine; if None, a
            cluster of this machine alone is started.
        workers: Workers side by side; one for each processor of all nodes together if None.

    Raises:
        HandshiftError: The cluster cannot be reached.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self.ray = _connected(address)
        """The connected module."""
        self.workers = workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))


class RayEngine:
    """What engines on a cluster have in common: handshift is on every node, files have the same paths there.

    Args:
        cluster: Where; its `workers` are side by side.
    """

    def __init__(self, cluster: RayCluster) -> None:
        self._ray, self.workers = cluster.ray, cluster.workers


def _connected(address: str | None) -> Any:
    ray = ray_module()
    if not ray.is_initialized():
        try:
            own: dict[str, Any] = {} if address else {"include_dashboard": False}
            ray.init(address=address, log_to_driver=False, logging_level="error", **own)
        except Exception as error:  # Ray raises a bare one where a node does not come up in time
            raise HandshiftError(
                f"{address or 'this machine'}: no Ray cluster can be used here ({error}); "
                "start one with `ray start --head`, and give its address"
            ) from error
    return ray


def ray_module() -> Any:
    """Import ray, quiet."""
    # Read when ray is imported: no report of its use over the network, no environment of `uv run`.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    # Ray 2.60 would else tell each worker that asks for no GPU to see none, with a warning.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # Ray's core writes of every lost worker to stderr, and of some that are not lost; its own logs have it.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    # Messages of other processes would come between ours, on stdout; they are in Ray's logs too.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    import ray
    import ray.exceptions

    return ray
