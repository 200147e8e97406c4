"""handshift clean: find what is filed under the wrong writer."""

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
    recipe_of,
    with_recipe_options,
)


@with_recipe_options
def clean(
    data: Annotated[Path, typer.Argument(help=CORPUS)],
    out: Annotated[Path, typer.Option(help="Folder for the findings and both trainings.")],
    angle: Annotated[
        float,
        typer.Option(min=1, max=180, help="Degrees from the writer's dominant centre that are too many."),
    ] = 75.0,
    split: Split = None,
    cut: Contents = "page",
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

    Three centres are learnt for each writer of the split's train part, so that what is not by that hand can
    gather round a centre of its own. What lies too far from the dominant centre is listed, shown, left out.
    The same call again goes on where it stopped; another --angle asks the first training anew.

    Example: handshift clean letters --out runs/clean --no-retrain

    Example: handshift clean faces --cut picture --out runs/clean --angle 70
    """
    from handshift.embedding.cleaning.clean import Cleaning

    recipe = recipe_of(preset, given)
    typer.echo(Cleaning(data, out, split, cut, recipe, angle, retrain, accelerator, threads).to_the_end())
