"""handshift train detect: a detector of other hands from word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.core.errors import HandshiftError

BAGS, RUN = "Bags", "This run"


def detect(
    out: Annotated[Path, typer.Option(help="Folder for checkpoints, detector.onnx, results and figures.")],
    split: Annotated[
        Path | None, typer.Option(help="Writer split with the parts train, validation and test.")
    ] = None,
    bags: Annotated[
        Path | None, typer.Option(help="Instead of a split: the folder that `handshift bags` wrote.")
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Folder or .npy of word vectors, words.csv beside them.")
    ] = None,
    words: Annotated[
        Path | None, typer.Option(help="Instead: folder of cut words, as `train embed` leaves one.")
    ] = None,
    network: Annotated[Path | None, typer.Option(help="words.onnx, which makes vectors of --words.")] = None,
    architecture: Annotated[
        str,
        typer.Option(
            "--architecture",
            help="mean-pool, ab-mil, gated-ab-mil, ds-mil, ds-mil-mlp, clam-sb, clam-sb-mlp, "
            "trans-mil, multi-scale, relation-net, "
            "set-transformer, evidence-net.",
        ),
    ] = "relation-net",
    protocol: Annotated[
        str | None,
        typer.Option(rich_help_panel=BAGS, help="words (default), or source: its bags of replaced windows."),
    ] = None,
    size: Annotated[int, typer.Option(rich_help_panel=BAGS, help="Words of a bag; 1 to half foreign.")] = 14,
    spliced: Annotated[
        bool,
        typer.Option(
            "--spliced/--no-spliced",
            rich_help_panel=BAGS,
            help="Two in three one-hand bags from two sessions of the writer.",
        ),
    ] = True,
    longer: Annotated[
        bool,
        typer.Option(
            "--longer/--no-longer",
            rich_help_panel=BAGS,
            help="Every second step takes bags of 2 and 4 times as many words, and whole pages.",
        ),
    ] = True,
    fixed: Annotated[
        int, typer.Option(rich_help_panel=BAGS, help="Train on so many bags; 0 draws new ones each step.")
    ] = 0,
    steps: Annotated[int, typer.Option(rich_help_panel=RUN)] = 2000,
    batch: Annotated[int, typer.Option(rich_help_panel=RUN, help="Half by several hands.")] = 64,
    rate: Annotated[
        float | None,
        typer.Option("--learning-rate", rich_help_panel=RUN, help="Highest; 1e-3, source 1e-4."),
    ] = None,
    evaluate_every: Annotated[int, typer.Option(rich_help_panel=RUN)] = 100,
    patience: Annotated[
        int | None, typer.Option(rich_help_panel=RUN, help="Evaluations without a better AUC.")
    ] = None,
    held_out: Annotated[
        int, typer.Option(rich_help_panel=RUN, help="Bags of each validation, and of each share in the test.")
    ] = 1000,
    seed: Annotated[int, typer.Option(rich_help_panel=RUN)] = 0,
    threads: Annotated[int, typer.Option(min=1, rich_help_panel=RUN)] = 1,
) -> None:
    """Train a detector on bags of the split's train writers; the same call again resumes where it stopped.

    The weights kept are those best on bags of the validation writers; test writers are evaluated once, at the
    end. OUT holds detector.onnx, results.json (by share, with what "always mixed" scores), training curves
    and attention.

    Example: handshift train detect --vectors runs/vectors --split split.json --out runs/relation

    Example: handshift train detect --architecture ab-mil --bags runs/bags --out runs/source

    Example: handshift train detect --architecture ab-mil --protocol source --words runs/words/words
    --network runs/words/words.onnx --split split.json --out runs/source
    """
    from handshift.bag.bag_folder import BagFolder
    from handshift.corpus.split import WriterSplit
    from handshift.detect.train.recipe import DetectRecipe
    from handshift.detect.train.train_detector import DetectRun
    from handshift.embedding.word_vectors import WordVectors, cached_vectors

    settings = {
        "model": architecture, "protocol": protocol or "words", "words": size, "spliced": spliced,
        "longer": longer,
        "fixed": fixed, "steps": steps, "batch": batch, "rate": rate, "evaluate_every": evaluate_every,
        "patience": patience, "held_out": held_out, "seed": seed,
    }  # fmt: skip
    if bags is not None:
        if split is not None or words is not None or network is not None or protocol is not None:
            raise HandshiftError("--bags brings its own split, vectors and protocol: leave the others out")
        made = BagFolder.load(bags, vectors)
        recipe = DetectRecipe.of({**settings, "protocol": made.record["options"]["protocol"]})
        typer.echo(DetectRun(made.vectors, made.split, out, recipe, threads, made).run())
        return
    if split is None:
        raise HandshiftError("give --split with the writers of train, validation and test, or --bags")
    recipe = DetectRecipe.of(settings)
    if vectors is not None and words is None and network is None:
        table = WordVectors.load(vectors)
    elif vectors is None and words is not None and network is not None:
        table = cached_vectors(words, network, out / "vectors", threads)
    else:
        raise HandshiftError("give either --vectors, or --words together with --network")
    typer.echo(DetectRun(table, WriterSplit.load(split), out, recipe, threads).run())
