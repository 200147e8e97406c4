"""handshift invert: pictures whose vectors lie at a writer's centre."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from handshift.cli.destination import check_folder
from handshift.core.errors import HandshiftError
from handshift.embedding.inversion.drawing import WEIGHTS, Drawing, Prior

SHEET, SUMMARY = "hand.png", "hand.json"


def invert(
    model: Annotated[Path, typer.Argument(help="Folder that `handshift train embed` wrote to.")],
    out: Annotated[Path, typer.Option(help="Folder for the pictures.")],
    writer: Annotated[str | None, typer.Option(help="A writer of the training, by exact label.")] = None,
    embedding: Annotated[
        Path | None, typer.Option(help="Instead of a writer: a vector (.npy) of the model, of any writer.")
    ] = None,
    split: Annotated[
        Path | None, typer.Option(help="The split it was trained with, where the folder does not hold names.")
    ] = None,
    images: Annotated[int, typer.Option(min=1, max=64, help="Pictures of the hand.")] = 8,
    drawing: Annotated[
        Drawing, typer.Option(help="pen: strokes; pixels: for what no pen drew, such as faces.")
    ] = Drawing.PEN,
    prior: Annotated[
        Prior,
        typer.Option(help="Batch-normalisation prior: standardised by layer, or as in the paper."),
    ] = Prior.STANDARDISED,
    weight: Annotated[
        float | None,
        typer.Option("--lambda", min=0, help="Weight λ of the prior; 0.3, with --prior paper 0.05."),
    ] = None,
    steps: Annotated[
        int, typer.Option(min=1, help="Steps of the search; twice as many come a little nearer.")
    ] = 150,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Draw what a model takes for a writer's hand.

    Pictures are searched for whose vectors lie where the writer's centre (or the given embedding) does, and
    whose activations are like those of the training pictures. They show what the model attends to, not
    how the person writes any word.

    Example: handshift invert runs/words --writer w0007 --out hand
    """
    if (writer is None) == (embedding is None):
        raise HandshiftError("give --writer or --embedding, and not both")
    check_folder(out)
    import torch

    from handshift.core.atomic import write_bytes, write_text
    from handshift.embedding.inversion.inverted_pictures import invert_vector, invert_writer, png, sheet
    from handshift.embedding.inversion.search import Search
    from handshift.embedding.inversion.targets import read_vector
    from handshift.embedding.train.load import load_training

    torch.set_num_threads(threads)
    trained = load_training(model, split)
    strength = WEIGHTS[prior] if weight is None else weight
    search = Search(drawing, steps, prior=strength, seed=seed, prior_form=prior)
    with Progress(transient=True) as progress:
        bar = progress.add_task("searching", total=steps)

        def on_step(step: int) -> None:
            progress.update(bar, completed=step + 1)

        if writer is not None:
            name = trained.writers[trained.class_of(writer)]
            inverted = invert_writer(trained, trained.class_of(writer), images, search, on_step)
        else:
            assert embedding is not None
            name = str(embedding)
            inverted = invert_vector(trained, read_vector(embedding), images, search, on_step)
    write_bytes(out / SHEET, png(sheet(inverted.pictures)))
    about = {"made_by": "handshift invert", "of": name, "drawing": drawing, "steps": steps, "seed": seed}
    about |= {"prior": prior, "lambda": strength}
    write_text(
        out / SUMMARY, json.dumps({**about, **inverted.summary()}, indent=1, ensure_ascii=False) + "\n"
    )
    right = f", {inverted.nearest.count(name)} of {images} nearest to it" if writer is not None else ""
    typer.echo(f"{out / SHEET}: {name}: mean cosine {inverted.cosines.mean():.3f}{right}")
