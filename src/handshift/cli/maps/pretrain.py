"""handshift maps pretrain: a small encoder from synthetic maps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.cli.destination import check_folder


def pretrain(
    out: Annotated[Path, typer.Option(help="Folder for the encoder; its name is the encoder's.")],
    width: Annotated[int, typer.Option(min=16, help="A multiple of 16.")] = 96,
    depth: Annotated[int, typer.Option(min=4, help="Blocks.")] = 6,
    steps: Annotated[int, typer.Option(min=1)] = 1000,
    batch: Annotated[int, typer.Option(min=1)] = 24,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    threads: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Pretrain a small encoder by masked image modelling on synthetic maps; no data or labels are needed.

    The folder is read by `handshift maps train --encoder FOLDER` and by `transformers`. The same command
    resumes an interrupted run. The shipped maps-1 was trained with the defaults.

    Example: handshift maps pretrain --out runs/maps-1
    """
    if width % 16:
        raise typer.BadParameter("must be a multiple of 16", param_hint="--width")
    check_folder(out)
    from handshift.healthmap.pretraining.masked_image_modelling import PretrainingRecipe
    from handshift.healthmap.pretraining.pretrain import EncoderPretraining

    heads = max(1, width // 32)
    recipe = PretrainingRecipe(width=width, depth=depth, heads=heads, steps=steps, batch=batch, seed=seed)
    card = EncoderPretraining(out, recipe, threads).run()
    figures = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in card.figures.items())
    typer.echo(f"{out}: {figures}")
