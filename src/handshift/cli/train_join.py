"""handshift train join: several trainings become one network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def join(
    trainings: Annotated[list[Path], typer.Argument(help="Folders that `handshift train embed` wrote to.")],
    out: Annotated[Path, typer.Option(help="Folder for words.onnx.")],
    split: Annotated[
        Path | None, typer.Option(help="The split they were trained with; the first folder's if none.")
    ] = None,
    words: Annotated[
        Path | None, typer.Option(help="Word pictures cut before; the first folder's if none.")
    ] = None,
    dimensions: Annotated[int, typer.Option(min=2, help="Numbers in a vector of the joined network.")] = 64,
    shrinkage: Annotated[
        float, typer.Option(min=0, max=1, help="How round a writer's scatter is taken to be.")
    ] = 0.5,
    half: Annotated[bool, typer.Option("--half", help="Write words-half.onnx too: half the size.")] = False,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Join networks that were trained on the same writers with other seeds or other changes.

    Their vectors are laid side by side and turned so that directions in which the training writers differ
    count, and directions in which one writer's words differ do not.

    Example: handshift train join runs/one runs/two --split split.json --out runs/joined --half
    """
    from handshift.embed.joining.run import Joining

    joining = Joining(trainings, out, split, words, dimensions, shrinkage, threads)
    typer.echo(joining.to_the_end(half))
