"""handshift train join: several networks become one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def join(
    networks: Annotated[list[Path], typer.Argument(help="words.onnx of trainings on the same writers.")],
    words: Annotated[Path, typer.Option(help="Word pictures that a training cut: OUT/words.")],
    split: Annotated[Path, typer.Option(help="The writer split they were trained with.")],
    out: Annotated[Path, typer.Option(help="Folder for the joined words.onnx.")],
    dimensions: Annotated[int, typer.Option(min=2, help="Numbers in a joined vector.")] = 48,
    shrinkage: Annotated[
        float, typer.Option(min=0, max=1, help="How round a writer's scatter is taken to be.")
    ] = 0.9,
    half: Annotated[bool, typer.Option("--half", help="Write words-half.onnx too: half the size.")] = False,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Join networks that were trained on the same writers with other seeds or other changes.

    Their vectors are laid side by side and turned so that directions in which the training writers differ
    count, and directions in which one writer's words differ do not. A single network gains by that too.

    Example: handshift train join a/words.onnx b/words.onnx --words a/words --split split.json --out both
    """
    from handshift.embed.joining.run import Joining

    typer.echo(Joining(networks, words, split, out, dimensions, shrinkage, threads).to_the_end(half))
