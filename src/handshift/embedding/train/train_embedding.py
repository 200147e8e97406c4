"""Trains a word embedding on a corpus and exports it: `handshift train embed` as a library call."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import torch
from torch import distributed as dist

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import WriterSplit, split_of
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.crop_cache import cached_words, contents_of, recorded_contents
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.export.smaller import smaller_files
from handshift.embedding.train.backbones import check_widths
from handshift.embedding.train.distributed import (
    folder_of_rank,
    launch,
    started_by_torchrun,
    torchrun_group,
)
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.embedding.train.load import save_writers
from handshift.embedding.train.objective import make_objective
from handshift.embedding.train.recipe import (
    Accelerator,
    Recipe,
    identity_defaults,
    identity_of,
    training_config,
)
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import fit, load_weights

NETWORK = "words.onnx"
PARTS = ("train", "validation")
"""Parts of the split that a training needs."""


@dataclass(frozen=True)
class TrainedEmbedding:
    """What a training produced."""

    network: Path
    """The exported network, OUT/words.onnx."""
    best_step: int | None
    metrics: dict[str, float] = field(default_factory=dict)
    """Of the held-out writers at the best step: auc, eer."""
    smaller: tuple[str, ...] = ()
    """One line for each smaller file written beside the network."""

    def __str__(self) -> str:
        figures = ", ".join(f"{name} {value:.3f}" for name, value in self.metrics.items())
        best = f"{self.network}: best at step {self.best_step}: {figures} (chance AUC 0.5)"
        return "\n".join([best, *self.smaller])


def train_embedding(
    data: Path,
    out: Path,
    recipe: Recipe | None = None,
    *,
    split: Path | None = None,
    cut: str | None = None,
    words: Path | None = None,
    start: Path | None = None,
    accelerator: str = "cpu",
    threads: int = 2,
    devices: int = 1,
    half: bool = False,
    int8: bool = False,
) -> TrainedEmbedding:
    """Train a network on the split's train writers; the same call again resumes where it stopped.

    Args:
        data: Corpus folder or manifest.
        out: Folder for crops, checkpoints and words.onnx.
        recipe: Network, loss, sampling, augmentation and optimisation; the defaults if None.
        split: Writer split; one is made and kept in OUT/split.json if None.
        cut: What a file holds: page, word or picture; if None, word for the source's layout, else page.
        words: Folder of crops to reuse, such as OUT/words of another training; OUT/words if None.
        start: Weights (.safetensors) to start from.
        accelerator: cpu, cuda or mps.
        threads: Processor threads, shared by the devices.
        devices: Number of data-parallel processes.
        half: Write words-half.onnx too.
        int8: Write words-int8.onnx too.

    Returns:
        The exported network and its figures on the held-out writers.

    Raises:
        HandshiftError: An argument or the recipe is wrong (found before the corpus is cut), or the corpus
            and the split do not suffice.
    """
    run = _Run(
        data, out, split, cut, recipe or Recipe(), words, start, accelerator, threads, devices, half, int8
    )
    check_settings(run.recipe, cut, accelerator)
    several = started_by_torchrun()
    if devices == 1 and not several:
        return run.train()
    if accelerator == "mps" or run.recipe.max_hours:
        raise HandshiftError(
            "several processes train on cpu or cuda, and without --max-hours: they would stop at "
            "different steps"
        )
    if several:
        if devices > 1:
            raise HandshiftError("torchrun starts the processes; leave --devices out")
        return _train_with_torchrun(run)
    run.read_data()  # cut and split once, before several processes need them
    return TrainedEmbedding(**_decoded(launch(partial(_encoded, run), devices, accelerator)))


def _train_with_torchrun(run: _Run) -> TrainedEmbedding:
    """One of the processes that ``torchrun`` started; all see the same folders."""
    with torchrun_group(run.accelerator):
        rank, world = rank_and_world()
        if rank == 0:
            run.read_data()  # cut and split once, before the others need them
        dist.barrier()
        # Each may be on a machine of its own, and has the threads it was given.
        return replace(run, devices=world, threads=run.threads * world).train()


def check_settings(recipe: Recipe, cut: str | None, accelerator: str) -> None:
    """Refuse wrong settings of a training before any time is spent on cutting the corpus.

    Raises:
        HandshiftError: A choice does not exist, or the recipe names a network or loss that cannot be built.
    """
    if cut is not None and cut not in list(FileContents):
        raise HandshiftError(f"--cut {cut}: choose page, word or picture")
    if accelerator not in get_args(Accelerator):
        raise HandshiftError(f"--accelerator {accelerator}: choose {', '.join(get_args(Accelerator))}")
    training_config(recipe, cast(Accelerator, accelerator))
    check_widths(recipe.backbone, recipe.widths)
    with torch.random.fork_rng(devices=[]):
        make_objective(recipe, classes=2, dimensions=recipe.dimensions)


def parts_of(split: WriterSplit, place: Path | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the train and validation writers of a split.

    Raises:
        HandshiftError: The split lacks one of the two parts.
    """
    for part in PARTS:
        if part not in split.parts:
            raise HandshiftError(
                f"{place}: the split has no part {part!r}; docs/data.md describes the format"
            )
    train, validation = (split.parts[part] for part in PARTS)
    return train, validation


def split_identity(split: WriterSplit) -> str:
    """Name the train and validation parts of a split by corpus and hash, for a training's identity."""
    parts = repr([sorted(split.parts[part]) for part in PARTS])
    return f"{split.corpus}-{hashlib.sha256(parts.encode()).hexdigest()[:12]}"


@dataclass(frozen=True)
class _Run:
    """The arguments of `train_embedding`, picklable for worker processes."""

    data: Path
    out: Path
    split: Path | None
    cut: str | None
    recipe: Recipe
    words: Path | None
    start: Path | None
    accelerator: str
    threads: int
    devices: int
    half: bool
    int8: bool

    def train(self) -> TrainedEmbedding:
        first = rank_and_world()[0] == 0
        torch.set_num_threads(max(1, self.threads // self.devices))
        config = training_config(self.recipe, cast(Accelerator, self.accelerator))
        config = config.model_copy(update={"tensorboard": first})
        words, split = self.read_data()
        task = WriterTask(words, *parts_of(split, self.split), self.recipe)
        if self.start:
            task.load_start_weights(self.start)
        folder = folder_of_rank(self.out / "training", sharded=task.objective.shards is not None)
        identity = self._identity(split)
        result = fit(
            task, config, folder, identity=identity, defaults=identity_defaults(), progress_bar=first
        )
        network = self.out / NETWORK
        smaller: tuple[str, ...] = ()
        if first:
            save_writers(folder, task.writers)
            load_weights(task.module, result.weights)
            export_embedder(task.network, network)
            smaller = tuple(
                smaller_files(task.held_out_pairs, task.rows, network, half=self.half, int8=self.int8)
            )
        return TrainedEmbedding(network, result.best_step, dict(result.best_metrics), smaller)

    def read_data(self) -> tuple[WordCollection, WriterSplit]:
        corpus = read_corpus(self.data)
        split = split_of(corpus, self.split, self.out / "split.json", self.recipe.seed)
        parts_of(split, self.split)
        folder, reuse = self.words or self.out / "words", self.words is not None
        contents = contents_of(corpus, folder, self.cut)
        return cached_words(corpus, folder, contents, reuse=reuse, workers=self.threads), split

    def _identity(self, split: WriterSplit) -> dict[str, Any]:
        start = hashlib.sha256(self.start.read_bytes()).hexdigest() if self.start else None
        several = {"devices": self.devices} if self.devices > 1 else {}
        cut = recorded_contents(self.words or self.out / "words").value
        fields = {"split": split_identity(split), "cut": cut, "start": start}
        return {**identity_of(self.recipe), **several, **fields}


def _encoded(run: _Run) -> str:
    """Train in one of several processes; the result as JSON, which passes between processes as text."""
    result = run.train()
    return json.dumps(
        {
            "network": str(result.network),
            "best_step": result.best_step,
            "metrics": result.metrics,
            "smaller": result.smaller,
        }
    )


def _decoded(text: str) -> dict[str, Any]:
    values = json.loads(text)
    return {**values, "network": Path(values["network"]), "smaller": tuple(values["smaller"])}
