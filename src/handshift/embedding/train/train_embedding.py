"""From a corpus to an exported network: the whole of `handshift train embed`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import torch

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import WriterSplit, split_of
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.crop_cache import words_of
from handshift.embedding.crops.file_contents import Cut
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.export.smaller import lighter_files
from handshift.embedding.train.distributed import folder_of_rank, launch
from handshift.embedding.train.heads.distributed_ops import rank_and_world
from handshift.embedding.train.load import save_writers
from handshift.embedding.train.recipe import (
    Accelerator,
    Recipe,
    identity_defaults,
    identity_of,
    training_config,
)
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import fit, load_weights


@dataclass(frozen=True)
class Run:
    """What is trained on, where it goes, and how."""

    data: Path
    out: Path
    split: Path | None
    cut: str
    recipe: Recipe
    start: Path | None = None
    accelerator: str = "cpu"
    threads: int = 2
    devices: int = 1

    def to_the_end(self, half: bool = False, int8: bool = False) -> str:
        """Cut, train, export; the sentences that tell how it went."""
        if self.cut not in list(Cut):
            raise HandshiftError(f"--cut {self.cut}: choose page, word or picture")
        if self.accelerator not in get_args(Accelerator):
            raise HandshiftError(
                f"--accelerator {self.accelerator}: choose {', '.join(get_args(Accelerator))}"
            )
        training_config(self.recipe, cast(Accelerator, self.accelerator))
        if self.devices == 1:
            return self._train(half, int8)
        if self.accelerator != "cpu" or self.recipe.max_hours:
            raise HandshiftError("--devices above 1 is for processors, without --max-hours, which end apart")
        self._data()  # cut and split once, before there are several to do it
        return launch(partial(self._train, half, int8), self.devices)

    def _train(self, half: bool, int8: bool) -> str:
        first = rank_and_world()[0] == 0
        torch.set_num_threads(max(1, self.threads // self.devices))
        config = training_config(self.recipe, cast(Accelerator, self.accelerator))
        config = config.model_copy(update={"tensorboard": first})
        task, split_name = self._task()
        folder = folder_of_rank(self.out / "training", sharded=task.objective.shards is not None)
        identity = self._identity(split_name)
        result = fit(
            task, config, folder, identity=identity, defaults=identity_defaults(), progress_bar=first
        )
        if not first:
            return ""
        save_writers(folder, task.writers)
        load_weights(task.module, result.weights)
        network = self.out / "words.onnx"
        export_embedder(task.network, network)
        figures = ", ".join(f"{name} {value:.3f}" for name, value in result.best_metrics.items())
        told = [f"{network}: best at step {result.best_step}: {figures} (chance AUC 0.5)"]
        lighter = lighter_files(task.examination, task.rows, network, half=half, int8=int8)
        return "\n".join([*told, *lighter])

    def _data(self) -> tuple[WordCollection, WriterSplit]:
        corpus = read_corpus(self.data)
        split = split_of(corpus, self.split, self.out / "split.json", self.recipe.seed)
        for part in ("train", "validation"):
            if part not in split.parts:
                raise HandshiftError(
                    f"{self.split}: the split has no part {part!r}; docs/data.md tells the format"
                )
        return words_of(corpus, self.out / "words", Cut(self.cut)), split

    def _task(self) -> tuple[WriterTask, str]:
        words, split = self._data()
        task = WriterTask(words, split.parts["train"], split.parts["validation"], self.recipe)
        if self.start:
            task.begin_with(self.start)
        parts = repr([sorted(split.parts[part]) for part in ("train", "validation")])
        return task, f"{split.corpus}-{hashlib.sha256(parts.encode()).hexdigest()[:12]}"

    def _identity(self, split: str) -> dict[str, Any]:
        started = hashlib.sha256(self.start.read_bytes()).hexdigest() if self.start else None
        several = {"devices": self.devices} if self.devices > 1 else {}
        return {**identity_of(self.recipe), **several, "split": split, "cut": self.cut, "start": started}
