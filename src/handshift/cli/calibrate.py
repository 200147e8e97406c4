"""handshift calibrate: a model from a network and writers it has not seen."""

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
        typer.Option(help="detector.onnx of `handshift train detect`, or its folder; may be repeated."),
    ] = None,
    population: Annotated[str, typer.Option(help="Whom the calibration writers stand for.")] = "",
    population_ko: Annotated[str, typer.Option(help="The same in Korean, for Korean reports.")] = "",
    seed: Annotated[int, typer.Option(min=0)] = 2026,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
) -> None:
    """Make a model folder: the word network, the detectors and their weights, the calibration, the card.

    Partition ratio and leave-one-out evidence are always combined, with every --detector, which must have
    been trained on the train writers of the split. From files of one word or picture each,
    the model can compare and identify, but not examine pages.

    Example: handshift calibrate --network words.onnx --detector runs/evidence --detector runs/relation
    --data csafe --split split.json --out my-model
    """
    from handshift.cli.verdict_output import console
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.calibrate_model import calibrate_model

    made = calibrate_model(
        network,
        data,
        split,
        out,
        words=words,
        vectors=vectors,
        cut=FileContents(cut) if cut else None,
        detectors=detector or (),
        population=population,
        population_ko=population_ko,
        seed=seed,
        threads=threads,
        progress=console(error=True).print,
    )
    for warning in made.warnings:
        typer.echo(warning, err=True)
    typer.echo(made)
