"""handshift calibrate: what a network's scores mean, from writers it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift import Contents


def calibrate(
    network: Annotated[Path, typer.Option(help="words.onnx of `handshift train embed`.")],
    data: Annotated[Path, typer.Option(help="Corpus folder or manifest.")],
    split: Annotated[Path, typer.Option(help="Writer split; its calibration part is used.")],
    out: Annotated[Path, typer.Option(help="Model folder to write; its name becomes the model's id.")],
    words: Annotated[Path | None, typer.Option(help="Word pictures cut before.")] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(help="Instead: their vectors by this network, as `train detect` keeps them."),
    ] = None,
    cut: Annotated[
        Contents | None, typer.Option(help="What one file holds; as it was for the word pictures.")
    ] = None,
    detector: Annotated[
        list[Path] | None,
        typer.Option(help="detector.onnx of `handshift train detect`, or its folder; as often as you like."),
    ] = None,
    population: Annotated[str, typer.Option(help="Whom the calibration writers stand for.")] = "",
    population_ko: Annotated[str, typer.Option(help="The same in Korean, for Korean reports.")] = "",
    seed: Annotated[int, typer.Option(min=0)] = 2026,
) -> None:
    """Make a model folder: the word network, the detectors and their weights, the calibration, the card.

    Partition ratio and leave-one-out evidence are always weighed, and every --detector with them; the train
    writers of the split are those that it should have learned from. From files of one word or picture each,
    the model can compare and identify, but not examine pages.

    Example: handshift calibrate --network words.onnx --detector runs/evidence --detector runs/relation
    --data csafe --split split.json --out my-model
    """
    from dataclasses import replace

    from handshift.attribution.calibrate_hands import calibrate_hands
    from handshift.bag.pseudo_pages import group_into_pages, holds_pages
    from handshift.calibration.calibrate_pages import calibrate as fit
    from handshift.calibration.calibrate_pairs import PAGES, PICTURES, calibrate_pairs
    from handshift.calibration.calibration_data import CalibrationData
    from handshift.cli.verdict_output import console
    from handshift.core.atomic import write_bytes
    from handshift.core.errors import HandshiftError
    from handshift.corpus.layouts import read_corpus
    from handshift.corpus.split import WriterSplit
    from handshift.detect.onnx_detector import NetworkDetector
    from handshift.embedding.crops.crop_cache import cached_words
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.embedding.embedder import Embedder
    from handshift.embedding.word_vectors import embed_writers, vectors_by_network
    from handshift.models.describe_model import card_of

    corpus = read_corpus(data)
    writers = WriterSplit.load(split, known=corpus.writers).parts["calibration"]
    if vectors is not None:
        table = vectors_by_network(network, vectors)
    else:
        pictures = cached_words(corpus, words or out.parent / "words", FileContents(cut) if cut else None)
        table = embed_writers(pictures, Embedder(network), writers)
    who = population or f"The {len(writers)} calibration writers of {corpus.name}."
    out.mkdir(parents=True, exist_ok=True)
    pages = holds_pages(table)
    known = CalibrationData(
        table if pages else group_into_pages(table), table.vectors, writers, out.name, who, seed
    )
    networks = [NetworkDetector(path) for path in detector or ()]
    tell = console(error=True).print
    write_bytes(out / "words.onnx", network.read_bytes())
    if pages:
        combination, context = fit(known, networks=networks, progress=tell)
        if population_ko:
            propositions = replace(context.propositions, populations={"ko": population_ko})
            context = replace(context, propositions=propositions)
        combination.save(out)
        context.save(out / "context.json")  # last: it holds the fingerprint of the scoring files
        calibrate_hands(known, progress=tell).save(out / "hands.json")
        held = context.sizes[-1].calibration
        told = f"pages log10 LR {held.lowest:+.2f} to {held.highest:+.2f}"
    else:
        told = "no pages to examine"
        known.covariances().save(out / "covariances.npz")
    try:
        pairs = calibrate_pairs(known, claims=PAGES if pages else PICTURES)
    except HandshiftError as error:  # one page of each writer is enough to examine, not to compare
        typer.echo(f"verify and identify will not work with this model: {error}", err=True)
    else:
        pairs.save(out / "comparison.json")
        bounds = pairs.sizes[-1].calibration
        told += f"; comparisons log10 LR {bounds.lowest:+.2f} to {bounds.highest:+.2f}"
    card_of(out.name, network, corpus, split, [each.name for each in networks]).save(out / "card.json")
    typer.echo(f"{out}: {told}")
