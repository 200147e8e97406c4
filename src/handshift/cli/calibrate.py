"""handshift calibrate: what a network's scores mean, from writers it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift import Contents

if TYPE_CHECKING:
    from handshift.bag.pages import WordTable


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
    seed: Annotated[int, typer.Option(min=0)] = 2026,
) -> None:
    """Make a model folder: the word network, the detectors and their weights, the calibration, the card.

    Partition ratio and leave-one-out evidence are always weighed, and every --detector with them; the train
    writers of the split are those that it should have learned from. From files of one word or picture each,
    the model can compare and identify, but not examine pages.

    Example: handshift calibrate --network words.onnx --detector runs/evidence --detector runs/relation
    --data csafe --split split.json --out my-model
    """
    from handshift.atomic import write_bytes
    from handshift.bag.gathering import gathered, holds_pages
    from handshift.bag.pages import pages_of
    from handshift.corpus.layouts import read_corpus
    from handshift.corpus.split import WriterSplit
    from handshift.detect.network import NetworkDetector
    from handshift.detect.vectors import embedded_of, made_by
    from handshift.embed.cut import Cut
    from handshift.embed.cutting import words_of
    from handshift.embed.embedder import Embedder
    from handshift.error import HandshiftError
    from handshift.evidence.calibrating import calibrate as fit
    from handshift.evidence.calibrating import covariances_of
    from handshift.evidence.hands.calibrating import calibrate_hands
    from handshift.evidence.pair_calibrating import PAGES, PICTURES, calibrate_pairs
    from handshift.models.describing import card_of

    corpus = read_corpus(data)
    writers = WriterSplit.load(split, known=corpus.writers).parts["calibration"]
    if vectors is not None:
        table = made_by(network, vectors)
    else:
        pictures = words_of(corpus, words or out.parent / "words", Cut(cut) if cut else None)
        table = embedded_of(pictures, Embedder(network), writers)
    who = population or f"The {len(writers)} calibration writers of {corpus.name}."
    out.mkdir(parents=True, exist_ok=True)
    pages = holds_pages(table)
    sets: WordTable = table if pages else gathered(table)
    networks = [NetworkDetector(path) for path in detector or ()]
    context = None
    if pages:
        combination, context = fit(
            table, table.vectors, writers, model=out.name, population=who, seed=seed, networks=networks
        )
        combination.save(out)
        held = context.sizes[-1].calibration
        told = f"pages log10 LR {held.lowest:+.2f} to {held.highest:+.2f}"
    else:
        told = "no pages to examine"
        covariances_of(sets, table.vectors, pages_of(sets, writers)).save(out / "covariances.npz")
    write_bytes(out / "words.onnx", network.read_bytes())
    if context:  # after all that decides a score, for it is sealed to that
        context.save(out / "context.json")
    try:
        pairs = calibrate_pairs(
            sets,
            table.vectors,
            writers,
            model=out.name,
            population=who,
            seed=seed,
            claims=PAGES if pages else PICTURES,
        )
    except HandshiftError as error:  # one page of each writer is enough to examine, not to compare
        typer.echo(f"verify and identify will not work with this model: {error}", err=True)
    else:
        pairs.save(out / "comparison.json")
        bounds = pairs.sizes[-1].calibration
        told += f"; comparisons log10 LR {bounds.lowest:+.2f} to {bounds.highest:+.2f}"
    if pages:
        calibrate_hands(table, table.vectors, writers, model=out.name, population=who, seed=seed).save(
            out / "hands.json"
        )
    card_of(out.name, network, corpus, split, [each.name for each in networks]).save(out / "card.json")
    typer.echo(f"{out}: {told}")
