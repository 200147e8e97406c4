"""Networks trained on several databases, side by side and turned by a discriminant of all their writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.embedder import Embedder, unit_rows
from handshift.embedding.export.discriminant import fit_discriminant
from handshift.embedding.export.float16 import write_float16
from handshift.embedding.export.joined_graph import write_joined
from handshift.embedding.train.databases_examination import HeldOut, examined
from handshift.training.run_identity import FILE

_WORDS_EACH = 40
"""Words of a writer that the discriminant is fitted on."""


@dataclass(frozen=True)
class JoiningOnDatabases:
    """What is joined, on which words, and into how many dimensions."""

    networks: Sequence[Path]
    databases: Mapping[str, float]
    """Names and weights, as in a recipe; those with weight 0 are examined and not fitted on."""
    words: Path
    """Folder with the cut words of each database."""
    splits: Path
    out: Path
    dimensions: int = 64
    shrinkage: float = 0.9
    threads: int = 1

    def run(self) -> str:
        """Embed, fit, write, examine on validation writers.

        Returns:
            The sentences that tell how it went.

        Raises:
            HandshiftError: Words or a split are missing, or there are too few writers.
        """
        known: list[NDArray[np.float32]] = []
        writers, homes, held_out = [], [], {}
        embedders = [Embedder(network, self.threads) for network in self.networks]
        for name, weight in self.databases.items():
            words = WordCollection.load(self.words / name)
            parts = WriterSplit.load(self.splits / f"{name}.json").parts
            held_out[name] = HeldOut.of(words, [f"{name}/{own}" for own in parts["validation"]])
            if weight:
                rows = _some_of_each(words, [f"{name}/{own}" for own in parts["train"]])
                crops = words.crops[rows]
                known.append(np.concatenate([one.embed_crops(crops) for one in embedders], axis=1))
                writers.append(words.writer[rows])
                homes.append(np.full(rows.size, name))
        discriminant = fit_discriminant(
            np.concatenate(known),
            np.concatenate(writers),
            self.dimensions,
            self.shrinkage,
            np.concatenate(homes),
        )
        self.out.mkdir(parents=True, exist_ok=True)
        network = self.out / "words.onnx"
        write_joined(self.networks, discriminant, network)
        write_float16(network, self.out / "words-half.onnx")
        figures = examined(held_out, lambda crops: _side_by_side([Embedder(network, self.threads)], crops))
        plain = examined(held_out, lambda crops: _side_by_side(embedders, crops))
        lines = [
            f"  {name}: {value:.3f} (before it was turned {plain[name]:.3f})"
            for name, value in figures.items()
        ]
        return "\n".join(
            [f"{network}: {len(self.networks)} network(s), {self.dimensions} dimensions", *lines]
        )


def recipe_databases(network: Path) -> dict[str, float]:
    """The databases that a network beside its training was trained on, with their weights.

    Raises:
        HandshiftError: There is no record of a training beside it, or it was trained on one corpus.
    """
    path = network.parent / "training" / FILE
    found = read_json_object(path, "the record of a training").get("databases") if path.is_file() else None
    if not isinstance(found, dict) or not found:
        raise HandshiftError(f"{network}: no training on several databases lies beside it")
    return {str(name): float(weight) for name, weight in found.items()}


def _some_of_each(words: WordCollection, writers: Sequence[str]) -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    order = rng.permutation(len(words.writer))
    order = order[np.isin(words.writer[order], list(writers))]
    order = order[np.argsort(words.writer[order], kind="stable")]
    starts = np.unique(words.writer[order], return_index=True)[1]
    return np.sort(np.concatenate([rows[:_WORDS_EACH] for rows in np.split(order, starts[1:])]))


def _side_by_side(embedders: Sequence[Embedder], crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    return unit_rows(np.concatenate([one.embed_crops(crops) for one in embedders], axis=1))
