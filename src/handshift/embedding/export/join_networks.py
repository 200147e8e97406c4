"""From networks trained apart to one: the whole of `handshift train join`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.discriminant import fit_discriminant
from handshift.embedding.export.joined_graph import write_joined
from handshift.embedding.export.smaller import lighter_files
from handshift.embedding.train.held_out import Examination
from handshift.embedding.train.sampling import by_writer_and_session

FILE = "joined.json"
"""Tells, beside the network, what it was joined of."""
_RECIPE = Path("training", "training.json")
_WORDS_EACH = 120
"""Words of a writer that the discriminant is fitted on, of all sessions alike."""
_AT_ONCE = 1024


@dataclass(frozen=True)
class Joining:
    """What is joined, on which words, and into how many dimensions."""

    networks: Sequence[Path]
    words: Path
    split: Path
    out: Path
    dimensions: int = 48
    shrinkage: float = 0.9
    threads: int = 2

    def to_the_end(self, half: bool = False) -> str:
        """Embed, fit, write, examine; the sentences that tell how it went."""
        words, parts = self._words()
        rows = _some_of_each(words, parts["train"])
        examination = Examination.of(words, parts["validation"])
        known, unseen = self._side_by_side(words, rows, examination.rows)
        discriminant = fit_discriminant(known, words.writer[rows], self.dimensions, self.shrinkage)
        self.out.mkdir(parents=True, exist_ok=True)
        network = self.out / "words.onnx"
        write_joined(self.networks, discriminant, network)
        plain = examination.figures(unseen)
        figures = examination.figures(Embedder(network, self.threads).embed_crops(examination.crops))
        self._tell(figures, plain)
        told = ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
        sentence = (
            f"{network}: {len(self.networks)} network(s) in {self.dimensions} dimensions: {told} "
            f"(before they were turned, auc {plain['auc']:.3f}; chance AUC 0.5)"
        )
        return "\n".join([sentence, *lighter_files(examination, rows, network, half=half, int8=False)])

    def _words(self) -> tuple[WordCollection, Mapping[str, Sequence[str]]]:
        for network in self.networks:
            if not network.is_file():
                raise HandshiftError(f"{network}: no such file; give the words.onnx of a training")
        try:
            words = WordCollection.load(self.words)
        except (OSError, ValueError, KeyError) as error:
            raise HandshiftError(f"{self.words}: not a folder of cut words ({error})") from error
        return words, WriterSplit.load(self.split, known=np.unique(words.writer).tolist()).parts

    def _side_by_side(self, words: WordCollection, *rows: NDArray[np.int64]) -> list[NDArray[np.float32]]:
        """Of each set of rows, the vectors of all networks, side by side."""
        embedders = [Embedder(network, self.threads) for network in self.networks]
        together = []
        with Progress(transient=True) as progress:
            bar = progress.add_task("embedding", total=sum(map(len, rows)))
            for wanted in rows:
                parts = []
                for start in range(0, len(wanted), _AT_ONCE):
                    crops = words.crops[wanted[start : start + _AT_ONCE]]
                    parts.append(np.concatenate([one.embed_crops(crops) for one in embedders], axis=1))
                    progress.advance(bar, len(crops))
                together.append(np.concatenate(parts))
        return together

    def _tell(self, figures: Mapping[str, float], plain: Mapping[str, float]) -> None:
        content = {
            "members": [_told(network) for network in self.networks],
            "dimensions": self.dimensions,
            "shrinkage": self.shrinkage,
            "words_each": _WORDS_EACH,
            "validation": {"joined": figures, "before they were turned": plain},
        }
        write_text(self.out / FILE, json.dumps(content, indent=1) + "\n")


def _some_of_each(words: WordCollection, writers: Sequence[str]) -> NDArray[np.int64]:
    """Sorted rows, at most `_WORDS_EACH` of a writer, sessions alike as far as they reach."""
    rng = np.random.default_rng(0)
    chosen = []
    for sessions in by_writer_and_session(words, writers):
        each = -(-_WORDS_EACH // len(sessions))
        chosen += [rng.permutation(rows)[:each] for rows in sessions]
    return np.sort(np.concatenate(chosen))


def _told(network: Path) -> dict[str, Any]:
    recipe = network.parent / _RECIPE
    return {
        "network": f"{network.parent.name}/{network.name}",
        "sha256": hashlib.sha256(network.read_bytes()).hexdigest(),
        "recipe": read_json_object(recipe, "a recipe") if recipe.is_file() else None,
    }
