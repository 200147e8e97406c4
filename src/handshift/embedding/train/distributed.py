"""Data-parallel training in several processes.

Every process runs the ordinary loop in a folder of its own. Gradients are averaged as they are computed,
except those of centres that are sharded over the processes (Partial FC). Whatever controls the loop, a
non-finite loss and the validation figures, is made equal on all ranks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
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

CUTTING = timedelta(hours=12)
"""Longest wait for another process: rank 0 cuts the corpus before the others begin, and NCCL would give it
ten minutes."""


def average_gradients(module: nn.Module, apart: nn.Module | None = None) -> None:
    """Register g ← mean over ranks of g for every parameter except those held by `apart` itself."""
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


def nan_unless_all_finite(loss: Tensor) -> Tensor:
    """Return the loss, or NaN on all ranks if it is not finite on one: a single rank would deadlock."""
    finite = torch.isfinite(loss.detach()).float()
    dist.all_reduce(finite, dist.ReduceOp.MIN)
    return loss if finite else loss * torch.nan


def broadcast_from_rank_0(figures: Mapping[str, float]) -> Mapping[str, float]:
    """Return rank 0's figures on all ranks: batch statistics differ slightly between ranks."""
    held: list[Any] = [dict(figures)]
    dist.broadcast_object_list(held)
    return dict(held[0])


def folder_of_rank(folder: Path, sharded: bool) -> Path:
    """Return this rank's checkpoint folder, synchronised to rank 0's step.

    Raises:
        HandshiftError: The ranks' checkpoints are of different steps.
    """
    rank, world = rank_and_world()
    if world == 1:
        return folder
    own = folder / f"rank-{rank}" if rank else folder
    if not sharded and rank:  # all weights are equal on all ranks
        shutil.rmtree(own, ignore_errors=True)
        if folder.exists():
            shutil.copytree(folder, own, ignore=shutil.ignore_patterns("rank-*", ".lock", "tensorboard"))
    progress = load_progress(own)
    steps: list[Any] = [None] * world
    dist.all_gather_object(steps, progress.step if progress else 0)
    if len(set(steps)) > 1:
        raise HandshiftError(
            f"{folder}: the processes stopped at different steps ({steps}); remove the folder and train anew"
        )
    return own


def backend(accelerator: str) -> str:
    """NCCL between GPUs, gloo between processors."""
    return "nccl" if accelerator == "cuda" else "gloo"


def started_by_torchrun() -> bool:
    """Whether this process is one of several that ``torchrun`` started, on this or other machines."""
    return dist.is_torchelastic_launched() and int(os.environ.get("WORLD_SIZE", "1")) > 1


@contextmanager
def torchrun_group(accelerator: str) -> Iterator[None]:
    """Join the processes that ``torchrun`` started, each with a GPU of its own where there are some."""
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if accelerator == "cuda":
        torch.cuda.set_device(local)
    dist.init_process_group(backend(accelerator), timeout=CUTTING)
    # The loop's Fabric handles one device and would refuse the world size that it finds here.
    hidden = {name: os.environ.pop(name) for name in ("TORCHELASTIC_RUN_ID",) if name in os.environ}
    try:
        yield
        dist.barrier()
    finally:
        os.environ.update(hidden)
        dist.destroy_process_group()


def launch(work: Callable[[], str], devices: int, accelerator: str = "cpu") -> str:
    """Run `work` in `devices` processes of one group on this machine: gloo, or NCCL with a GPU each.

    Args:
        work: A picklable callable.
        devices: Number of processes.
        accelerator: cpu or cuda.

    Returns:
        What rank 0's `work` returned.

    Raises:
        HandshiftError: A process raised one.
    """
    with TemporaryDirectory() as folder:
        shared = Path(folder)
        try:
            spawn(_process, (work, devices, shared, accelerator), devices)  # type: ignore[no-untyped-call]
        except ProcessRaisedException as error:
            errors = sorted(shared.glob("error-*"))
            if not errors:
                raise
            raise HandshiftError(errors[0].read_text(encoding="utf-8")) from error
        return (shared / "result").read_text(encoding="utf-8")


def _process(rank: int, work: Callable[[], str], devices: int, shared: Path, accelerator: str) -> None:
    store = f"file://{shared / 'store'}"
    if accelerator == "cuda":
        torch.cuda.set_device(rank)
    dist.init_process_group(backend(accelerator), init_method=store, rank=rank, world_size=devices)
    try:
        result = work()
    except HandshiftError as error:
        (shared / f"error-{rank}").write_text(str(error), encoding="utf-8")
        raise
    if rank == 0:
        (shared / "result").write_text(result, encoding="utf-8")
    dist.barrier()
    dist.destroy_process_group()
