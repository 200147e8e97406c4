"""handshift calibrate: what a network's scores mean, from writers it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def calibrate(
    network: Annotated[Path, typer.Option(help="words.onnx of `handshift train embed`.")],
    data: Annotated[Path, typer.Option(help="Corpus folder or manifest.")],
    split: Annotated[Path, typer.Option(help="Writer split; its calibration part is used.")],
    out: Annotated[Path, typer.Option(help="Model folder to write; its name becomes the model's id.")],
    words: Annotated[Path | None, typer.Option(help="Word pictures cut before.")] = None,
    population: Annotated[str, typer.Option(help="Whom the calibration writers stand for.")] = "",
    seed: Annotated[int, typer.Option(min=0)] = 2026,
) -> None:
    """Make a model folder: the network, its covariances, its calibration and its card.

    Example: handshift calibrate --network words.onnx --data csafe --split split.json --out my-model
    """
    import numpy as np

    from handshift.atomic import write_bytes
    from handshift.corpus.layouts import read_corpus
    from handshift.corpus.split import WriterSplit
    from handshift.embed.cutting import words_of
    from handshift.embed.embedder import Embedder
    from handshift.error import HandshiftError
    from handshift.evidence.calibrating import calibrate as fit
    from handshift.evidence.pair_calibrating import calibrate_pairs
    from handshift.models.card import ModelCard

    corpus = read_corpus(data)
    writers = WriterSplit.load(split, known=corpus.writers).parts["calibration"]
    table = words_of(corpus, words or out.parent / "words")
    embedder = Embedder(network)
    vectors = np.zeros((len(table.crops), embedder.dimensions), np.float32)
    rows = table.rows_of(writers)
    vectors[rows] = embedder.embed_crops(table.crops[rows])
    who = population or f"The {len(writers)} calibration writers of {corpus.name}."
    covariances, context = fit(table, vectors, writers, model=out.name, population=who, seed=seed)
    try:
        pairs = calibrate_pairs(table, vectors, writers, model=out.name, population=who, seed=seed)
    except HandshiftError as error:  # one page of each writer is enough to examine, not to compare
        typer.echo(f"verify and identify will not work with this model: {error}", err=True)
        pairs = None
    out.mkdir(parents=True, exist_ok=True)
    write_bytes(out / "words.onnx", network.read_bytes())
    covariances.save(out / "covariances.npz")
    context.save(out / "context.json")
    if pairs:
        pairs.save(out / "comparison.json")
    ModelCard(
        id=out.name,
        summary="Small residual CNN on word pictures, three-level covariance partition likelihood ratio.",
        trained_on=f"The train writers of {split.name}.",
        calibrated_on=f"{len(writers)} writers of {corpus.name}, disjoint from training and test.",
        tested_on=f"The test writers of {split.name}; see results/.",
        limits="Not validated for casework. Latin script, modern pens, flatbed scans.",
    ).save(out / "card.json")
    bounds = context.calibration
    typer.echo(f"{out}: log10 LR between {bounds.lowest:+.2f} and {bounds.highest:+.2f}")
