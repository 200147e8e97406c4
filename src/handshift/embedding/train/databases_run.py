"""From several databases to an exported network: `handshift train embed --databases …`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import torch

from handshift.core.errors import HandshiftError
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_collection import load_records
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.export.float16 import write_float16
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.databases_task import DatabasesTask, Part
from handshift.embedding.train.load import save_writers
from handshift.embedding.train.recipe import Recipe, identity_defaults, identity_of, training_config
from handshift.embedding.train.start_weights import load_start_weights
from handshift.training import fit, load_weights


@dataclass(frozen=True)
class DatabasesRun:
    """What is trained on, where it goes, and how."""

    data: Path
    """Folder that holds the databases' folders."""
    words: Path
    """Folder with the words of each database, as `handshift corpus cut` left them."""
    splits: Path
    """Folder with the split of each database."""
    out: Path
    recipe: Recipe
    threads: int = 2
    start: Path | None = None
    """Weights to begin with, as `handshift train export --weights` leaves them."""

    def task(self) -> tuple[DatabasesTask, str]:
        """The task and a fingerprint of the writers it learns from.

        Raises:
            HandshiftError: A database, its words or its split is missing or damaged.
        """
        parts, digest = {}, hashlib.sha256()
        for name, weight in self.recipe.databases.items():
            database = read_database(self.data, name)
            split = load_split(database, self.splits)
            words = load_records(database, self.words / name)
            train, validation = split.parts["train"], split.parts["validation"]
            if not weight:  # a database that is never trained on
                train, validation = (), (*train, *validation)
            parts[name] = Part(words, train, validation, weight)
            digest.update(repr((name, sorted(train), sorted(validation), len(words.crops))).encode())
        return DatabasesTask(parts, self.recipe), digest.hexdigest()[:16]

    def run(self) -> str:
        """Train, going on where it stopped, and export the best weights.

        Returns:
            The sentences that tell how it went.

        Raises:
            HandshiftError: Data are missing, or the folder holds another training.
        """
        if not any(self.recipe.databases.values()):
            raise HandshiftError("--databases: at least one needs a weight above 0")
        torch.set_num_threads(self.threads)
        task, writers = self.task()
        if self.start:
            load_start_weights(task.module, self.start)
        started = hashlib.sha256(self.start.read_bytes()).hexdigest() if self.start else None
        folder = self.out / "training"
        result = fit(
            task,
            training_config(self.recipe),
            folder,
            identity={**identity_of(self.recipe), "writers": writers, "start": started},
            defaults={**identity_defaults(), "start": None},
        )
        save_writers(folder, task.writers)
        load_weights(task.module, result.weights)
        self.export(task)
        figures = ", ".join(f"{name} {value:.3f}" for name, value in result.best_metrics.items())
        return f"{self.out / 'words.onnx'}: best at step {result.best_step}: {figures} (chance AUC 0.5)"

    def export(self, task: DatabasesTask) -> None:
        """Write the kept network as `words.onnx` and, in half precision, `words-half.onnx`."""
        export_embedder(task.kept, self.out / "words.onnx", Scaling.WRITING)
        write_float16(self.out / "words.onnx", self.out / "words-half.onnx")
