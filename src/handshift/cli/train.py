"""handshift train: models from your own collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Train models on your own collection (needs the `train` extra).")


@app.callback()
def train() -> None:
    """Train models on your own collection."""


@app.command()
def embed(
    data: Annotated[Path, typer.Option(help="Corpus folder or manifest.")],
    split: Annotated[Path, typer.Option(help="Writer split; see `docs/data.md`.")],
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and words.onnx.")],
    steps: Annotated[int, typer.Option(min=1, help="Optimizer steps.")] = 2200,
    batch: Annotated[int, typer.Option(min=2, help="Words per step.")] = 128,
    margin: Annotated[float, typer.Option(min=0, help="ArcFace angle in radians.")] = 0.2,
    scale: Annotated[float, typer.Option(min=1, help="ArcFace scale.")] = 24.0,
    rate: Annotated[float, typer.Option(min=0, help="Highest learning rate.")] = 3e-3,
    start: Annotated[Path | None, typer.Option(help="Weights (.safetensors) to begin with.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 7,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Train a word network on the split's train writers; the same call again goes on where it stopped.

    The weights kept are those best at telling the validation writers apart, whom training never sees.

    Example: handshift train embed --data csafe --split studies/splits/csafe.json --out runs/words
    """
    import hashlib

    import torch

    from handshift.corpus.layouts import read_corpus
    from handshift.corpus.split import WriterSplit
    from handshift.embed.cutting import words_of
    from handshift.embed.export import export_onnx
    from handshift.embed.training import WriterTask
    from handshift.training import TrainingConfig, fit, load_weights

    torch.set_num_threads(threads)
    corpus = read_corpus(data)
    parts = WriterSplit.load(split, known=corpus.writers).parts
    task = WriterTask(
        words_of(corpus, out / "words"),
        parts["train"],
        parts["validation"],
        seed=seed,
        batch_size=batch,
        margin=margin,
        scale=scale,
    )
    if start:
        load_weights(task.module, start)
    every = min(250, steps)
    config = TrainingConfig(
        steps=steps,
        seed=seed,
        max_lr=rate,
        weight_decay=1e-3,
        clip=5.0,
        evaluate_every=every,
        checkpoint_every=every,
        monitor="auc",
    )
    recipe = {
        "batch": batch,
        "margin": margin,
        "scale": scale,
        "split": split.name,
        "start": hashlib.sha256(start.read_bytes()).hexdigest() if start else None,
    }
    result = fit(task, config, out / "training", identity=recipe)
    load_weights(task.module, result.weights)
    export_onnx(task.network, out / "words.onnx")
    figures = ", ".join(f"{name} {value:.3f}" for name, value in result.best_metrics.items())
    typer.echo(f"{out / 'words.onnx'}: best at step {result.best_step}: {figures} (chance AUC 0.5)")
