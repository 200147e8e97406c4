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
    name: EngineName = EngineName.LOCAL,
    workers: int | None = None,
    address: str | None = None,
    *,
    long_work: bool = False,
) -> Engine:
    """Make the engine.

    Args:
        name: Processes of this machine, or Ray.
        workers: Worker processes; one for each core if None.
        address: Of the Ray cluster's head.
        long_work: Whether an item takes minutes, so that it is worth a process of its own: Ray's tasks in
            place of Ray Data.

    Raises:
        HandshiftError: An address was given for processes of this machine, or the cluster cannot be reached.
    """
    if name is EngineName.RAY:
        from handshift.engine.ray_connection import RayCluster

        cluster = RayCluster(address, workers)
        if long_work:
            from handshift.engine.ray_tasks import RayTasks

            return RayTasks(cluster)
        from handshift.engine.ray_data import RayData

        return RayData(cluster)
    if address is not None:
        raise HandshiftError(f"--address {address} is of a Ray cluster; add --engine ray")
    from handshift.engine.local_processes import LocalProcesses

    return LocalProcesses(workers)
