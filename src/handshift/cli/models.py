"""handshift models: the shipped models and their cards."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
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

    Example: handshift models show words-4
    """
    shipped = find_model(model)
    for name, value in asdict(shipped.card).items():
        _print(name, value, 0)
    size = sum(file.stat().st_size for file in shipped.folder.iterdir() if file.is_file())
    typer.echo(f"size: {size / 1e6:.1f} MB in {shipped.folder}")


@app.command()
def scope(
    model: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A model's folder; scope.json is written there.")
    ],
    data: Annotated[Path, typer.Option(metavar="FOLDER", help="The databases of handwriting.")],
    splits: Annotated[Path, typer.Option(metavar="FOLDER", help="Their writer splits.")] = Path(
        "studies/splits"
    ),
    pages: Annotated[int, typer.Option(min=4, help="Pages of each database.")] = 20,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads of the network.")] = 2,
) -> None:
    """Fit the scope guard of a model: what pages of its population are like, and those in other scripts.

    How typical a page's vectors are is fitted on calibration writers of CSAFE, copiste and IAM. The script is
    tested by the strokes alone, fitted on training writers of these and of KHATT and the Korean fonts; each
    page is seen as it is and in two of these ways: coarser, bolder, finer, compressed, askew, photographed.
    How many pages are called outside is measured on writers left out of the fits. Takes 10 to 20 minutes. Run
    it again after the network or the segmentation has changed.

    Example: handshift models scope src/handshift/models/words-4 --data ../shared/data
    """
    from handshift.pipeline.fit_scope import fit_scope

    folder = find_model(model).folder
    fit = fit_scope(data, splits, model=model, pages=pages, threads=threads, progress=typer.echo)
    fit.save(folder)
    typer.echo(f"{folder / 'scope.json'}: pages by held-out writers that are called outside:")
    of_script = fit.script.held_out if fit.script else {}
    for test, shares in {"another script": of_script, "atypical": fit.held_out}.items():
        for name, share in shares.items():
            typer.echo(f"  {test}, {name}: {share:.1%}")


@app.command()
def marks(
    network: Annotated[Path, typer.Argument(metavar="FILE", help="Where the network is written, as ONNX.")],
    data: Annotated[Path, typer.Option(metavar="FOLDER", help="The databases of handwriting.")],
    splits: Annotated[Path, typer.Option(metavar="FOLDER", help="Their writer splits.")] = Path(
        "studies/splits"
    ),
    pages: Annotated[int, typer.Option(min=4, help="Pages of each database.")] = 40,
    steps: Annotated[int, typer.Option(min=1, help="Steps of the optimizer.")] = 2500,
) -> None:
    """Train the network that recognises words crossed out and words upside down.

    Words of training writers are crossed out in seven ways on their pages; the threshold is set on other
    writers, for calibration. Takes about twelve minutes of one core; needs the `train` extra.

    Example: handshift models marks src/handshift/page/word_marks.onnx --data ../shared/data
    """
    from handshift.pipeline.fit_word_marks import fit_word_marks

    found = fit_word_marks(data, splits, network, pages=pages, steps=steps, progress=typer.echo)
    typer.echo(f"{network}, on {found.words} words of calibration writers:")
    typer.echo(f"  crossed out: {found.recall:.1%} found above {found.threshold:.2f}")
    typer.echo(f"  which way up: right for {found.upright:.1%} of single words")


def _print(name: str, value: Any, depth: int) -> None:
    indent = "  " * depth
    if isinstance(value, dict):
        typer.echo(f"{indent}{name.replace('_', ' ')}:")
        for inner, content in value.items():
            _print(str(inner), content, depth + 1)
    else:
        shown = f"{value:.4g}" if isinstance(value, float) else value
        typer.echo(f"{indent}{name.replace('_', ' ')}: {shown}")
