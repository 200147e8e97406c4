"""The engine that a command was asked to use."""

from __future__ import annotations

from enum import StrEnum

from handshift.core.errors import HandshiftError
from handshift.engine.engine import Engine


class EngineName(StrEnum):
    """Where work runs."""

    LOCAL = "local"
    RAY = "ray"


def choose_engine(
    name: EngineName = EngineName.LOCAL, workers: int | None = None, address: str | None = None
) -> Engine:
    """Make the engine.

    Args:
        name: Processes of this machine, or Ray.
        workers: Worker processes; one for each core if None.
        address: Of the Ray cluster's head.

    Raises:
        HandshiftError: An address was given for processes of this machine, or the cluster cannot be reached.
    """
    if name is EngineName.RAY:
        from handshift.engine.ray_cluster import RayCluster

        return RayCluster(address, workers)
    if address is not None:
        raise HandshiftError(f"--address {address} is of a Ray cluster; add --engine ray")
    from handshift.engine.local_processes import LocalProcesses

    return LocalProcesses(workers)
