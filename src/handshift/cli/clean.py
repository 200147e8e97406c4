"""handshift clean: find mislabelled words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from handshift.cli.recipe_options import (
    CORPUS,
    Accelerator,
    Contents,
    Preset,
    Split,
    Threads,
    with_recipe_options,
)


@with_recipe_options
def clean(
    data: Annotated[Path, typer.Argument(help=CORPUS)],
    out: Annotated[Path, typer.Option(help="Folder for the findings and both trainings.")],
    angle: Annotated[
        float,
        typer.Option(
            min=1,
            max=180,
            help="Pictures further than this from the dominant centre are dropped, in degrees.",
        ),
    ] = 75.0,
    by: Annotated[
        str,
        typer.Option(
            help="Centre measured from: mean (of the dominant centre's pictures) or learnt (as in the paper)."
        ),
    ] = "mean",
    split: Split = None,
    cut: Contents = None,
    preset: Preset = None,
    retrain: Annotated[
        bool, typer.Option("--retrain/--no-retrain", help="Train again on what is left, or stop before.")
    ] = True,
    accelerator: Accelerator = "cpu",
    threads: Threads = 2,
    *,
    given: dict[str, Any],
) -> None:
    """Find pictures that are filed under the wrong writer, and train without them.

    Three centres are learnt for each writer of the split's train part (sub-center ArcFace), so that
    mislabelled pictures form a centre of their own. Pictures too far from the dominant centre are listed,
    shown and dropped.
    The same call again resumes where it stopped; another --angle reuses the first training.

    Example: handshift clean letters --out runs/clean --no-retrain

    Example: handshift clean faces --cut picture --out runs/clean --angle 70
    """
    from handshift.embedding.cleaning.clean import clean_corpus
    from handshift.embedding.train.presets import make_recipe

    cleaned = clean_corpus(
        data,
        out,
        make_recipe(preset, given),
        split=split,
        cut=cut,
        angle=angle,
        by=by,
        retrain=retrain,
        accelerator=accelerator,
        threads=threads,
    )
    typer.echo(cleaned)
