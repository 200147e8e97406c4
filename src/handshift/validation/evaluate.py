"""Evaluates word vectors on the writers of one part of a split: `handshift evaluate` as a library call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.bag.page_pairs import page_pairs
from handshift.bag.pages import pages_of
from handshift.core.errors import HandshiftError
from handshift.core.loaders import map_npy
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.word_vectors import WordVectors, vectors_by_network
from handshift.models.shipped_models import ShippedModel, find_model, find_network
from handshift.validation.identification_figures import FEWEST_WORDS, NoQueryError, identification_by_query
from handshift.validation.verification_figures import SEED, page_verification, word_verification

Figures = dict[str, object]
Vectors = NDArray[np.float32]


def evaluate_vectors(
    vectors: Path,
    split: Path | None = None,
    *,
    part: str = "test",
    model: str | None = None,
    pairs: int = 20_000,
    impostors: int = 1_000_000,
    repeats: int = 300,
    rounds: int = 20,
    seed: int = SEED,
) -> Figures:
    """Measure verification of words and pages, and identification by prototypes.

    Args:
        vectors: Folder that `handshift embed` wrote.
        split: Writer split; all writers of the vectors if None.
        part: The part of the split to evaluate; its writers must not have been trained on.
        model: The network's model or training, which is checked against the vectors. Pages are compared by
            its calibrated likelihood ratio where it has one, otherwise by cosine.
        pairs: Balanced word pairs.
        impostors: Different-writer word pairs for low false-accept rates.
        repeats: Bootstrap samples of writers.
        rounds: Draws of enrolled pages.
        seed: Of all draws.

    Returns:
        JSON-ready figures: words, pages, identification. The last two are None where writers have too few
        pages: of 8 words in two sessions or texts, and of 5 words beside those that are enrolled.

    Raises:
        HandshiftError: The vectors are of another network, the split lacks the part, or its writers
            are too few or have words on one page only.
    """
    table = WordVectors.load(vectors) if model is None else vectors_by_network(find_network(model), vectors)
    writers = _writers(table, split, part)
    calibrated = _calibrated(model)
    rows = np.asarray(table.vectors)
    ink = _ink(vectors, len(rows))
    try:
        words = word_verification(
            table,
            rows,
            writers,
            ink=ink,
            pairs=pairs,
            impostors=impostors,
            repeats=repeats,
            seed=seed,
            model=calibrated,
            sizes=table.size,
        )
    except ValueError as error:
        raise HandshiftError(f"{vectors}: part {part!r} cannot be evaluated: {error}") from error
    return {
        "vectors": table.fingerprint,
        "model": calibrated.card.id if calibrated else None,
        "part": part if split else None,
        "writers": len(writers),
        "seed": seed,
        "words": words,
        "pages": _pages(table, rows, writers, calibrated, repeats, seed),
        "identification": _identification(table, rows, writers, calibrated, rounds, seed),
    }


def _pages(
    table: WordVectors,
    rows: Vectors,
    writers: list[str],
    model: ShippedModel | None,
    repeats: int,
    seed: int,
) -> Figures | None:
    pages = pages_of(table, writers)
    pairs = page_pairs(pages) if len(pages) > 1 else None
    if pairs is None or np.unique(pairs.same).size < 2:
        return None
    return page_verification(pairs, rows, model, repeats=repeats, seed=seed, sizes=table.size)


def _identification(
    table: WordVectors,
    rows: Vectors,
    writers: list[str],
    model: ShippedModel | None,
    rounds: int,
    seed: int,
) -> Figures | None:
    pages = pages_of(table, writers, fewest=FEWEST_WORDS)
    try:
        figures = identification_by_query(pages, rows, model, rounds=rounds, seed=seed)
        if model is not None and table.size is not None:
            sized = identification_by_query(pages, rows, model, rounds=rounds, seed=seed, sizes=table.size)
            figures["with size"] = sized
        return figures
    except NoQueryError:
        return None


def _writers(table: WordVectors, split: Path | None, part: str) -> list[str]:
    present = [str(writer) for writer in np.unique(table.writer)]
    if split is None:
        return present
    parts = WriterSplit.load(split).parts
    if part not in parts:
        raise HandshiftError(f"{split}: the split has no part {part!r}; it has {', '.join(parts)}")
    return [writer for writer in parts[part] if writer in present]


def _calibrated(model: str | None) -> ShippedModel | None:
    """The model, if it has been calibrated for comparing pages; a training alone has not."""
    if model is None or not (find_network(model).parent / "card.json").is_file():
        return None
    found = find_model(model)
    return found if (found.folder / "comparison.json").is_file() else None


def _ink(vectors: Path, words: int) -> NDArray[np.int64] | None:
    """Inked columns of each word, where the crops still lie beside the vectors."""
    crops = vectors / "crops" / "crops.npy"
    found = map_npy(crops) if crops.is_file() else None
    return ink_lengths(found) if found is not None and len(found) == words else None
