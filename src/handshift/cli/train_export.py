"""handshift train export: the best network of a training, while it is still running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder that `train embed --out` writes to.")],
    out: Annotated[Path, typer.Option(help="The ONNX file to write.")],
    half: Annotated[bool, typer.Option("--half", help="Store weights in 16 bits: half the size.")] = False,
    weights: Annotated[
        Path | None, typer.Option(help="Also keep weights (.safetensors, 16 bits) for `train embed --start`.")
    ] = None,
) -> None:
    """Export the best weights so far of a training that is finished or still running.

    Example: handshift train export runs/words-4 --out words.onnx --half
    """
    from handshift.embedding.crops.scaling import Scaling
    from handshift.embedding.export.float16 import write_float16
    from handshift.embedding.export.onnx import export_embedder
    from handshift.embedding.train.kept_network import kept_network
    from handshift.embedding.train.start_weights import save_start_weights

    kept = kept_network(run)
    out.parent.mkdir(parents=True, exist_ok=True)
    # With --databases, crops are cut by `handshift corpus cut`, at the scale of the writing.
    scaling = Scaling.WRITING if kept.recipe.databases else Scaling.SHEET
    export_embedder(kept.network, out, scaling)
    if half:
        write_float16(out, out)
    if weights:
        save_start_weights(run, weights)
    figures = ", ".join(f"{name} {value:.3f}" for name, value in kept.figures.items())
    typer.echo(f"{out}: step {kept.step}, {out.stat().st_size / 1e6:.1f} MB; validation {figures}")
