"""From a corpus to a cleaned one and a network trained on it: the whole of `handshift clean`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.corpus.layouts import read_corpus
from handshift.embed.cleaning.report import KEPT, write_findings
from handshift.embed.cleaning.rounds import Rounds
from handshift.embed.cut import Cut
from handshift.embed.cutting import words_of
from handshift.embed.export import export_onnx
from handshift.embed.presets.recipe import Recipe
from handshift.embed.schedule import Accelerator
from handshift.embed.splitting import split_of
from handshift.error import HandshiftError
from handshift.training import load_weights


@dataclass(frozen=True)
class Cleaning:
    """What is cleaned, where the findings go, and how strictly."""

    data: Path
    out: Path
    split: Path | None
    cut: str
    recipe: Recipe
    angle: float = 75.0
    retrain: bool = True
    accelerator: str = "cpu"
    threads: int = 2

    def to_the_end(self) -> str:
        """Train with sub-centers, tell what is far from its writer, train again without it."""
        if self.cut not in list(Cut):
            raise HandshiftError(f"--cut {self.cut}: choose page, word or picture")
        if self.accelerator not in get_args(Accelerator):
            raise HandshiftError(
                f"--accelerator {self.accelerator}: choose {', '.join(get_args(Accelerator))}"
            )
        torch.set_num_threads(self.threads)
        corpus = read_corpus(self.data)
        split = split_of(corpus, self.split, self.out / "split.json", self.recipe.seed)
        for part in ("train", "validation"):
            if part not in split.parts:
                raise HandshiftError(f"{self.split}: the split has no part {part!r}; docs/data.md tells how")
        words = words_of(corpus, self.out / "words", Cut(self.cut))
        train, held_out = split.parts["train"], split.parts["validation"]
        parts = hashlib.sha256(repr([sorted(train), sorted(held_out)]).encode()).hexdigest()[:12]
        identity = {"split": f"{split.corpus}-{parts}", "cut": self.cut}
        accelerator = cast(Accelerator, self.accelerator)
        rounds = Rounds(words, train, held_out, self.recipe, identity, accelerator)
        angles = rounds.judged(self.out / "first")
        told = [write_findings(self.out, corpus, words, angles, self.angle)]
        told.append(
            f"{self.out / KEPT}: a manifest of the files left; copy it into the corpus's folder to use it"
        )
        if self.retrain:
            dropped = angles.rows[angles.beyond(self.angle)]
            told.append(self._trained_again(rounds, dropped))
        return "\n".join(told)

    def _trained_again(self, rounds: Rounds, dropped: NDArray[np.int64]) -> str:
        task, result = rounds.second(self.out / "training", dropped)
        load_weights(task.module, result.weights)
        export_onnx(task.network, self.out / "words.onnx")
        figures = ", ".join(f"{name} {value:.3f}" for name, value in result.best_metrics.items())
        return f"{self.out / 'words.onnx'}: best at step {result.best_step}: {figures} (chance AUC 0.5)"
