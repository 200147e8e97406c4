"""From finished trainings to one exported network: the whole of `handshift train join`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import Progress

from handshift.atomic import write_text
from handshift.corpus.split import WriterSplit
from handshift.embed.collection import WordCollection
from handshift.embed.examination import Examination
from handshift.embed.export import export_onnx
from handshift.embed.joining.discriminant import fit_discriminant
from handshift.embed.joining.joined import Joined, SideBySide
from handshift.embed.lightening import lighter_files
from handshift.embed.network_vectors import network_vectors
from handshift.embed.sampling import by_writer_and_session
from handshift.embed.trained import Trained, open_training
from handshift.error import HandshiftError

FILE = "joined.json"
"""Tells, beside the network, what it was joined of."""
_WORDS_EACH = 120
"""Words of a writer that the discriminant is fitted on, of all sessions alike."""


@dataclass(frozen=True)
class Joining:
    """What is joined, on which words, and into how many dimensions."""

    trainings: Sequence[Path]
    out: Path
    split: Path | None = None
    words: Path | None = None
    dimensions: int = 64
    shrinkage: float = 0.5
    threads: int = 2

    def to_the_end(self, half: bool = False) -> str:
        """Open, fit, examine, export; the sentences that tell how it went."""
        torch.set_num_threads(self.threads)
        words, parts = self._words()
        members = [open_training(folder, self.split) for folder in self.trainings]
        _check(members, self.trainings)
        together = SideBySide([member.network for member in members])
        rows = _some_of_each(words, parts["train"])
        examination = Examination.of(words, parts["validation"])
        with Progress(transient=True) as progress:
            bar = progress.add_task("embedding", total=len(rows) + 2 * len(examination.rows))

            def told(count: int) -> None:
                progress.advance(bar, count)

            known = network_vectors(together, words.crops[rows], told)
            plain = examination.figures(network_vectors(together, examination.crops, told))
            discriminant = fit_discriminant(known, words.writer[rows], self.dimensions, self.shrinkage)
            joined = Joined(together, discriminant).eval()
            figures = examination.figures(network_vectors(joined, examination.crops, told))
        self.out.mkdir(parents=True, exist_ok=True)
        network = self.out / "words.onnx"
        export_onnx(joined, network)
        self._tell(members, figures, plain)
        told_of = ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
        sentences = [
            f"{network}: {len(members)} networks in {self.dimensions} dimensions: {told_of} "
            f"(side by side, auc {plain['auc']:.3f}; chance AUC 0.5)"
        ]
        return "\n".join([*sentences, *lighter_files(examination, rows, network, half=half, int8=False)])

    def _words(self) -> tuple[WordCollection, dict[str, list[str]]]:
        words = WordCollection.load(self.words or self.trainings[0] / "words")
        split = self.split or self.trainings[0] / "split.json"
        if not split.exists():
            raise HandshiftError(f"{split}: no split; give --split, the one the trainings were made with")
        parts = WriterSplit.load(split, known=np.unique(words.writer).tolist()).parts
        return words, {name: list(writers) for name, writers in parts.items()}

    def _tell(self, members: Sequence[Trained], figures: dict[str, float], plain: dict[str, float]) -> None:
        content = {
            "members": [
                {
                    "folder": folder.name,
                    "weights": _digest(folder),
                    "recipe": member.recipe.model_dump(mode="json"),
                }
                for folder, member in zip(self.trainings, members, strict=True)
            ],
            "dimensions": self.dimensions,
            "shrinkage": self.shrinkage,
            "words_each": _WORDS_EACH,
            "validation": {"joined": figures, "side by side": plain},
        }
        write_text(self.out / FILE, json.dumps(content, indent=1) + "\n")


def _check(members: Sequence[Trained], folders: Sequence[Path]) -> None:
    if len(members) < 2:
        raise HandshiftError("joining needs two trainings at least")
    for member, folder in zip(members, folders, strict=True):
        if member.shrink != 1 or member.writers != members[0].writers:
            raise HandshiftError(
                f"{folder}: trained on other writers or on smaller pictures than {folders[0]}; "
                "only trainings on the same words can be joined"
            )


def _some_of_each(words: WordCollection, writers: Sequence[str]) -> NDArray[np.int64]:
    """Sorted rows, at most `_WORDS_EACH` of a writer, sessions alike as far as they reach."""
    rng = np.random.default_rng(0)
    chosen = []
    for sessions in by_writer_and_session(words, writers):
        each = -(-_WORDS_EACH // len(sessions))
        chosen += [rng.permutation(rows)[:each] for rows in sessions]
    return np.sort(np.concatenate(chosen))


def _digest(folder: Path) -> str:
    place = folder / "training" if (folder / "training").is_dir() else folder
    return hashlib.sha256((place / "best.safetensors").read_bytes()).hexdigest()
