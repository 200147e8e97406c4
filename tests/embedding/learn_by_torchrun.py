"""What torchrun starts on each machine: the gradients of the first step, averaged over the processes."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from ranks_at_work import gradients, noise_task

from handshift.embedding.train.distributed import started_by_torchrun, torchrun_group
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.training.tensors import save_tensors


def main(folder: Path) -> None:
    assert started_by_torchrun()
    torch.set_num_threads(1)
    with torchrun_group("cpu"):
        rank, world = rank_and_world()
        assert world == 2
        save_tensors(folder / f"gradients-{rank}.safetensors", gradients(noise_task(), 0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
