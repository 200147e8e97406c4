"""What each process does in the tests of training in several: importable, for processes are spawned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.train.distributed import folder_of_rank
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.embedding.train.recipe import Recipe, training_config
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import fit
from handshift.training.journal import read_journal
from handshift.training.tensors import save_tensors

TINY = {
    "widths": (4, 6, 8),
    "dimensions": 8,
    "batch": 6,
    "steps": 10,
    "evaluate_every": 5,
    "kindred": 0.0,
    "dropout": 0.0,
}


def noise_task(kind=WriterTask, **changes):
    """Six writers of noise, four words each on two days."""
    rng = np.random.default_rng(0)
    writer = np.repeat([f"w{k}" for k in range(6)], 4)
    crops = rng.integers(0, 256, (24, HEIGHT, WIDTH), np.uint8)
    pages = np.arange(24).astype(str)
    words = WordCollection(crops, pages, writer, np.tile([1, 2], 12), pages)
    return kind(words, ["w0", "w1", "w2", "w3"], ["w4", "w5"], Recipe(**{**TINY, **changes}))


SMOOTH: dict[str, Any] = {"backbone": "small-convnext"}
"""The small ResNet is chaotic on noise: weights changed by 1e-7 change the loss by 4e-3 after ten steps."""
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": SMOOTH,
    "partial-fc": {**SMOOTH, "head": "partial-fc", "options": {"head.sample": 1.0}},
    "adaface": {**SMOOTH, "margin": "adaface"},
    "pairs": {**SMOOTH, "loss": "triplet", "words_each": 2},
}
"""Changes of the recipe whose curve in two processes is that in one."""


class JoinedTask(WriterTask):
    """One process that draws what two processes draw, one batch after the other."""

    def batch(self, index: int):
        both = [super().batch(2 * index), super().batch(2 * index + 1)]
        return *joined(both), super().batch(index)[3]

    @property
    def steps_per_epoch(self) -> int:
        return max(1, super().steps_per_epoch // 2)


def joined(drawn):
    """Pictures, classes and groups of several batches."""
    groups = [
        np.where(part[2] < 0, part[2] - place * len(part[2]), part[2]) for place, part in enumerate(drawn)
    ]
    pictures, classes = (np.concatenate([part[column] for part in drawn]) for column in (0, 1))
    return pictures, classes, np.concatenate(groups)


def gradients(task, index):
    torch.manual_seed(5)
    task.module.train()
    batch = tuple(torch.as_tensor(part) for part in task.batch(index))
    task.loss(batch)[0].backward()
    return {name: p.grad.clone() for name, p in task.module.named_parameters() if p.grad is not None}


def learn(folder: Path) -> str:
    """Gradients of the first step, then a training with each kind of head, one of them again when done."""
    torch.set_num_threads(1)
    rank = rank_and_world()[0]
    save_tensors(folder / f"gradients-{rank}.safetensors", gradients(noise_task(), 0))
    for name, changes in VARIANTS.items():
        train(folder / name, noise_task(**changes), rank)
    return f"rank {rank}, then {train(folder / 'plain', noise_task(**SMOOTH), rank)}"


def train(folder: Path, task: WriterTask, rank: int = 0) -> int:
    own = folder_of_rank(folder / "training", sharded=task.objective.shards is not None)
    if task.objective.shards is not None:
        save_tensors(folder / f"begun-{rank}.safetensors", {"centres": task.objective.head.centres.detach()})
    config = training_config(task.recipe).model_copy(
        update={"tensorboard": False, "clip": 0.1, "log_every": 1}
    )
    result = fit(task, config, own, progress_bar=False)
    save_tensors(folder / f"{rank}.safetensors", task.module.state_dict())
    if not (figures := folder / f"{rank}.json").exists():  # a second call copies the journal of rank 0
        curve = [entry["loss"] for entry in read_journal(own) if entry["kind"] == "train"]
        figures.write_text(json.dumps([result.steps, result.metrics, curve]))
    return result.steps


def complain() -> str:
    raise HandshiftError("the ink is dry")
