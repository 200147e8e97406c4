"""One training in several processes: each has its own batches, all take the same steps.

Every process runs the ordinary loop in a folder of its own. Gradients are averaged as they are made, except
those of centres that are spread over the processes (Partial FC); what decides how the loop goes on, a loss
that is not finite and the figures of an examination, is made the same everywhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.multiprocessing.spawn import ProcessRaisedException, spawn

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.training.checkpoint import load_progress


def share_gradients(module: nn.Module, apart: nn.Module | None = None) -> None:
    """g ← mean over ranks of g, for every parameter but those that `apart` itself holds."""
    for parameter in apart.parameters(recurse=False) if apart else ():
        parameter.sharded = True  # type: ignore[attr-defined]  # the loop sums its norm over ranks
    world = rank_and_world()[1]

    def average(parameter: Tensor) -> None:
        assert parameter.grad is not None
        dist.all_reduce(parameter.grad)
        parameter.grad /= world

    for parameter in module.parameters():
        if parameter.requires_grad and not hasattr(parameter, "sharded"):
            parameter.register_post_accumulate_grad_hook(average)  # type: ignore[no-untyped-call]


def agreed(loss: Tensor) -> Tensor:
    """The loss, or NaN everywhere if it is not finite anywhere: a rank alone would wait for ever."""
    finite = torch.isfinite(loss.detach()).float()
    dist.all_reduce(finite, dist.ReduceOp.MIN)
    return loss if finite else loss * torch.nan


def of_first_rank(figures: Mapping[str, float]) -> Mapping[str, float]:
    """What rank 0 found, for all: batch statistics differ a little from rank to rank."""
    held: list[Any] = [dict(figures)]
    dist.broadcast_object_list(held)
    return dict(held[0])


def folder_of_rank(folder: Path, sharded: bool) -> Path:
    """Where this rank keeps its checkpoint, brought to the step at which rank 0 stands."""
    rank, world = rank_and_world()
    if world == 1:
        return folder
    own = folder / f"rank-{rank}" if rank else folder
    if not sharded and rank:  # all that is learnt is the same everywhere
        shutil.rmtree(own, ignore_errors=True)
        if folder.exists():
            shutil.copytree(folder, own, ignore=shutil.ignore_patterns("rank-*", ".lock", "tensorboard"))
    stand = load_progress(own)
    steps: list[Any] = [None] * world
    dist.all_gather_object(steps, stand.step if stand else 0)
    if len(set(steps)) > 1:
        raise HandshiftError(
            f"{folder}: the processes stopped at different steps ({steps}); remove the folder"
        )
    return own


def launch(work: Callable[[], str], devices: int) -> str:
    """Run `work` in so many processes that know of each other; what rank 0 says is handed back."""
    with TemporaryDirectory() as folder:
        desk = Path(folder)
        try:
            spawn(_process, (work, devices, desk), devices)  # type: ignore[no-untyped-call]
        except ProcessRaisedException as error:
            complaints = sorted(desk.glob("error-*"))
            if not complaints:
                raise
            raise HandshiftError(complaints[0].read_text(encoding="utf-8")) from error
        return (desk / "told").read_text(encoding="utf-8")


def _process(rank: int, work: Callable[[], str], devices: int, desk: Path) -> None:
    store = f"file://{desk / 'store'}"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=devices)
    try:
        told = work()
    except HandshiftError as error:
        (desk / f"error-{rank}").write_text(str(error), encoding="utf-8")
        raise
    if rank == 0:
        (desk / "told").write_text(told, encoding="utf-8")
    dist.barrier()
    dist.destroy_process_group()
