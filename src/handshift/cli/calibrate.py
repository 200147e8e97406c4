"""handshift calibrate: a model from a network and writers it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from handshift import Contents


def calibrate(
    out: Annotated[Path, typer.Option(help="Model folder to write; its name becomes the model's id.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Corpus folder or manifest; not for --vectors of `handshift corpus embed`."),
    ] = None,
    network: Annotated[
        Path | None, typer.Option(help="words.onnx of `handshift train embed`; or give --model.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Instead: a shipped model whose network and detectors are kept.")
    ] = None,
    split: Annotated[
        Path | None,
        typer.Option(help="Writer split; its calibration part is used. With --model one is drawn if none."),
    ] = None,
    words: Annotated[Path | None, typer.Option(help="Word pictures cut before.")] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="Instead: their vectors by this network, as `train detect` or `corpus embed` keeps them."
        ),
    ] = None,
    cut: Annotated[
        Contents | None, typer.Option(help="What one file holds; as it was for the word pictures.")
    ] = None,
    detector: Annotated[
        list[Path] | None,
        typer.Option(help="detector.onnx of `handshift train detect`, or its folder; may be repeated."),
    ] = None,
    comparison_only: Annotated[
        bool,
        typer.Option(
            "--comparison-only", help="With --model: fit only how pages are compared; needs --vectors."
        ),
    ] = False,
    pages_only: Annotated[
        bool,
        typer.Option(
            "--pages-only",
            help="With --model: fit only how pages are examined, by its detectors or each --detector; "
            "needs --vectors.",
        ),
    ] = False,
    population: Annotated[str, typer.Option(help="Whom the calibration writers stand for.")] = "",
    population_ko: Annotated[str, typer.Option(help="The same in Korean, for Korean reports.")] = "",
    seed: Annotated[int, typer.Option(min=0)] = 2026,
    documents: Annotated[
        int, typer.Option(min=200, help="Documents put together for each size; fewer for a trial.")
    ] = 4000,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
) -> None:
    """Make a model folder: the word network, the detectors and their weights, the calibration, the card.

    Partition ratio and leave-one-out evidence are always combined, with every --detector, which must have
    been trained on the train writers of the split. From files of one word or picture each,
    the model can compare and identify, but not examine pages.

    A laboratory gives --model instead of --network: the shipped network and detectors are kept and their
    calibration is fitted to the laboratory's own writers, 20 at least. The split is drawn and saved in OUT;
    `handshift validate --model OUT --split OUT/split.json` measures on the writers who took no part.

    Example: handshift calibrate --network words.onnx --detector runs/evidence --detector runs/relation
    --data csafe --split split.json --out my-model

    Example: handshift calibrate --network words.onnx --vectors runs/vectors --out my-model

    Example: handshift calibrate --model words-4 --data our-writers --out lab-1
    """
    from handshift.cli.verdict_output import console
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.calibrate_model import calibrate_model
    from handshift.pipeline.laboratory import (
        calibrate_comparison,
        calibrate_examination,
        calibrate_laboratory,
    )

    if (network is None) == (model is None):
        raise typer.BadParameter("give a trained network or a shipped model, not both", param_hint="--model")
    settings: dict[str, Any] = {
        "words": words,
        "vectors": vectors,
        "cut": FileContents(cut) if cut else None,
        "population": population,
        "population_ko": population_ko,
        "seed": seed,
        "documents": documents,
        "threads": threads,
        "progress": console(error=True).print,
    }
    if pages_only:
        if model is None or vectors is None or data is not None or comparison_only:
            raise typer.BadParameter(
                "needs --model and the --vectors of `handshift corpus embed`, no --data",
                param_hint="--pages-only",
            )
        for name in ("words", "vectors", "cut"):
            settings.pop(name)
        typer.echo(
            calibrate_examination(model, out, vectors, split=split, detectors=detector or (), **settings)
        )
        return
    if data is None and (vectors is None or (network is None and not comparison_only)):
        wanted = "your writers' pages" if model else "a corpus, or --network and --vectors"
        raise typer.BadParameter(f"give {wanted}", param_hint="--data")
    if comparison_only:
        if model is None or vectors is None or (data is not None and split is None):
            raise typer.BadParameter(
                "needs --model and --vectors, of a corpus also --data and --split",
                param_hint="--comparison-only",
            )
        made = calibrate_comparison(model, data, split, out, vectors, seed=seed)
    elif network is None and data is not None:
        if detector:
            raise typer.BadParameter("a shipped model brings its own", param_hint="--detector")
        made = calibrate_laboratory(model, data, out, split=split, **settings)
    elif network is None:  # without --data, --network was required above
        raise typer.BadParameter("give a trained network", param_hint="--network")
    elif split is None and data is not None:
        raise typer.BadParameter("a trained network needs the split of its training", param_hint="--split")
    else:
        made = calibrate_model(network, data, split, out, detectors=detector or (), **settings)
    for warning in made.warnings:
        typer.echo(warning, err=True)
    typer.echo(made)
