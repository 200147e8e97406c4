"""handshift train: embed, join and detect, models from your own collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from handshift.cli.recipe_options import (
    CORPUS,
    RUN,
    Accelerator,
    Contents,
    Preset,
    Split,
    Threads,
    with_recipe_options,
)
from handshift.cli.train_detect import detect
from handshift.cli.train_export import export


def join(
    networks: Annotated[list[Path], typer.Argument(help="words.onnx of trainings on the same writers.")],
    words: Annotated[Path, typer.Option(help="Word pictures: OUT/words, or those of `corpus cut`.")],
    split: Annotated[Path, typer.Option(help="The split they were trained with, or the folder of splits.")],
    out: Annotated[Path, typer.Option(help="Folder for the joined words.onnx.")],
    dimensions: Annotated[int, typer.Option(min=2, help="Numbers in a joined vector.")] = 48,
    shrinkage: Annotated[
        float,
        typer.Option(min=0, max=1, help="Shrinkage of the within-writer covariance."),
    ] = 0.9,
    half: Annotated[bool, typer.Option("--half", help="Write words-half.onnx too: half the size.")] = False,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Join networks that were trained on the same writers with different seeds or augmentations.

    Their vectors are concatenated and projected by a linear discriminant of the training writers. A single
    network improves by that too.

    Example: handshift train join a/words.onnx b/words.onnx --words a/words --split split.json --out both
    """
    from handshift.embedding.export.join_networks import join_networks
    from handshift.embedding.export.join_on_databases import JoiningOnDatabases, recipe_databases

    if split.is_dir():
        databases = recipe_databases(networks[0])
        several = JoiningOnDatabases(networks, databases, words, split, out, dimensions, shrinkage, threads)
        typer.echo(several.run())
        return
    joined = join_networks(
        networks, words, split, out, dimensions=dimensions, shrinkage=shrinkage, threads=threads, half=half
    )
    typer.echo(joined)


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Train models on your own collection (needs the `train` extra).",
)


@app.callback()
def train() -> None:
    """Train models on your own collection."""


app.command()(detect)
app.command()(join)
app.command()(export)


@app.command()
@with_recipe_options
def embed(
    data: Annotated[Path, typer.Option(help=CORPUS)],
    out: Annotated[Path, typer.Option(help="Folder for pictures, checkpoints and words.onnx.")],
    split: Split = None,
    cut: Contents = None,
    preset: Preset = None,
    words: Annotated[
        Path | None,
        typer.Option(help="Word crops to reuse: OUT/words of another training, or those of `corpus cut`."),
    ] = None,
    start: Annotated[Path | None, typer.Option(help="Weights (.safetensors) to begin with.")] = None,
    half: Annotated[
        bool, typer.Option("--half", rich_help_panel=RUN, help="Write words-half.onnx too: half the size.")
    ] = False,
    int8: Annotated[
        bool, typer.Option("--int8", rich_help_panel=RUN, help="Write words-int8.onnx too: a quarter.")
    ] = False,
    accelerator: Accelerator = "cpu",
    threads: Threads = 2,
    devices: Annotated[
        int,
        typer.Option(min=1, rich_help_panel=RUN, help="Processes that share the work, each with --batch."),
    ] = 1,
    *,
    given: dict[str, Any],
) -> None:
    """Train a network on the split's train writers; the same call again resumes.

    The checkpoint with the best verification AUC on the validation writers, who are held out, is kept.

    Example: handshift train embed --data csafe --split studies/splits/csafe.json --out runs/words

    Example: handshift train embed --data faces --cut picture --out runs/faces --loss triplet --miner hard

    Example: handshift train embed --data databases --split studies/splits --preset words-4 --out runs/words-4
    """
    from handshift.embedding.train.databases_run import DatabasesRun
    from handshift.embedding.train.presets import make_recipe
    from handshift.embedding.train.train_embedding import train_embedding

    recipe = make_recipe(preset, given)
    if recipe.databases:
        splits = split or Path("studies/splits")
        several = DatabasesRun(data, words or out / "words", splits, out, recipe, threads, start)
        typer.echo(several.run())
        return
    trained = train_embedding(
        data,
        out,
        recipe,
        split=split,
        cut=cut,
        words=words,
        start=start,
        accelerator=accelerator,
        threads=threads,
        devices=devices,
        half=half,
        int8=int8,
    )
    typer.echo(trained)
