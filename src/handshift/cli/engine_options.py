"""The options that say where a command's work runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from handshift.engine.choose_engine import EngineName, choose_engine

if TYPE_CHECKING:
    from handshift.engine.engine import Engine

EngineOption = Annotated[
    EngineName | None,
    typer.Option("--engine", help="Where the work runs: local processes, or a Ray cluster."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, help="Worker processes; one for each core of the machine or cluster if not given."
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="HOST:PORT", help="Head of the Ray cluster, or auto; this machine if not given."
    ),
]


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """What the user chose; the engine is started when there is work."""

    name: EngineName = EngineName.LOCAL
    workers: int | None = None
    address: str | None = None

    def start(self, *, long_work: bool = False) -> Engine:
        """Make the engine, or connect with the cluster; see `choose_engine`."""
        return choose_engine(self.name, self.workers, self.address, long_work=long_work)


def engine_choice(engine: EngineName | None, workers: int | None, address: str | None) -> EngineChoice | None:
    """The engine asked for; None where nothing was, and the command works in its own process."""
    if engine is None and workers is None and address is None:
        return None
    if address is not None and engine is None:
        engine = EngineName.RAY
    if address is not None and engine is not EngineName.RAY:
        raise typer.BadParameter("is of a Ray cluster; add --engine ray", param_hint="--address")
    return EngineChoice(engine or EngineName.LOCAL, workers, address)
