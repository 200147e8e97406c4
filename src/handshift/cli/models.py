"""handshift models: the shipped models and their cards."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from handshift.models.shipped_models import DEFAULT, find_model, shipped_models

app = typer.Typer(add_completion=False, invoke_without_command=True, rich_markup_mode="markdown")


@app.callback()
def models(context: typer.Context) -> None:
    """List the models that come with handshift.

    Example: handshift models
    """
    if context.invoked_subcommand is not None:
        return
    for model in shipped_models():
        default = " (default)" if model.card.id == DEFAULT else ""
        typer.echo(f"{model.card.id}{default}: {model.card.summary}")


@app.command()
def show(
    model: Annotated[str, typer.Argument(metavar="ID", help="Id of a shipped model, or a model's folder.")],
) -> None:
    """Show a model's card: what it was trained, calibrated and tested on, and how it scored.

    Example: handshift models show words-3
    """
    shipped = find_model(model)
    for name, value in asdict(shipped.card).items():
        _print(name, value, 0)
    size = sum(file.stat().st_size for file in shipped.folder.iterdir() if file.is_file())
    typer.echo(f"size: {size / 1e6:.1f} MB in {shipped.folder}")


def _print(name: str, value: Any, depth: int) -> None:
    indent = "  " * depth
    if isinstance(value, dict):
        typer.echo(f"{indent}{name.replace('_', ' ')}:")
        for inner, content in value.items():
            _print(str(inner), content, depth + 1)
    else:
        shown = f"{value:.4g}" if isinstance(value, float) else value
        typer.echo(f"{indent}{name.replace('_', ' ')}: {shown}")
