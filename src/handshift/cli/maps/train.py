"""handshift maps train: a model of normal maps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from handshift.core.errors import HandshiftError

MODEL, RUN = "Detector", "This run"


def train(
    data: Annotated[Path, typer.Argument(help="Folder `<domain>/train/good`, …, or a manifest.")],
    out: Annotated[Path, typer.Option(help="Folder for the model.")],
    detector: Annotated[
        str, typer.Option(rich_help_panel=MODEL, help="dinomaly, patchcore, padim, pca.")
    ] = "dinomaly",
    encoder: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL, help="Folder, hub name or short name of a ViT.", show_default="maps-1"
        ),
    ] = None,
    loss: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODEL,
            help="mean, hard-mined, gem, top-q, focal, scale-fixed, scale-learned.",
        ),
    ] = "hard-mined",
    options: Annotated[
        str, typer.Option(rich_help_panel=MODEL, help='Of the loss, as JSON: `{"q": 5}`.')
    ] = "{}",
    auxiliary: Annotated[
        float, typer.Option(min=0, rich_help_panel=MODEL, help="Weight of guessing the domain.")
    ] = 0.0,
    width: Annotated[
        int | None, typer.Option(rich_help_panel=MODEL, help="Of the decoder.", show_default="the encoder's")
    ] = None,
    depth: Annotated[int, typer.Option(rich_help_panel=MODEL, help="Decoder blocks, even.")] = 4,
    aggregation: Annotated[
        str | None,
        typer.Option(rich_help_panel=MODEL, help="Of scales: mean, gem.", show_default="as the loss"),
    ] = None,
    top: Annotated[
        float, typer.Option(rich_help_panel=MODEL, help="Percent of pixels whose mean is the score.")
    ] = 1.0,
    steps: Annotated[int, typer.Option(min=1)] = 1000,
    batch: Annotated[int, typer.Option(min=1)] = 16,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 2e-3,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    framing: Annotated[
        str | None,
        typer.Option(
            help="circular, crop (as the source), whole.",
            show_default="circular for maps, whole for pictures",
        ),
    ] = None,
    unit: Annotated[
        str, typer.Option(help="domain: by its largest training value; map: each by its own level.")
    ] = "domain",
    tokens: Annotated[
        str | None, typer.Option(metavar="ROWSxCOLUMNS", help="Patches.", show_default="by the maps' size")
    ] = None,
    domain: Annotated[
        list[str] | None, typer.Option(help="Only this domain; may be given again.", show_default="all")
    ] = None,
    false_alarms: Annotated[
        float, typer.Option(help="Share of normal maps that may be flagged; sets the thresholds.")
    ] = 0.01,
    threads: Annotated[int, typer.Option(min=1, rich_help_panel=RUN)] = 1,
) -> None:
    """Learn what normal maps look like; the same call again goes on where it stopped.

    Features of a frozen encoder are computed once and kept in OUT/cache. Thresholds come from normal maps
    that were held back, never from test maps. OUT then holds all that `handshift maps score` needs.

    Example: handshift maps train maps/ --out model --loss top-q --options '{"q": 5}'
    """
    from handshift.cli.maps.progress import progress_bar
    from handshift.healthmap.detectors import DETECTORS
    from handshift.healthmap.dinomaly.recipe import recipe_of
    from handshift.healthmap.framing import FRAMINGS
    from handshift.healthmap.train_detector import RESULTS, MapRun
    from handshift.healthmap.units import UNITS

    if detector not in DETECTORS:
        raise HandshiftError(f"--detector {detector}: choose {', '.join(DETECTORS)}")
    chosen = next((name for name in FRAMINGS if name == framing), None)
    if framing is not None and chosen is None:
        raise HandshiftError(f"--framing {framing}: choose {', '.join(FRAMINGS)}")
    measured = next((name for name in UNITS if name == unit), None)
    if measured is None:
        raise HandshiftError(f"--unit {unit}: choose {', '.join(UNITS)}")
    joining = aggregation or ("gem" if loss == "gem" else "mean")
    settings = {
        "loss": loss, "options": _options(options), "auxiliary": auxiliary, "width": width, "depth": depth,
        "scoring": {"aggregation": joining, "top": top}, "steps": steps, "batch": batch, "rate": rate,
        "warmup": min(100, steps // 10), "seed": seed,
    }  # fmt: skip
    recipe = recipe_of(settings)
    told = MapRun(
        data=data,
        out=out,
        detector=detector,
        recipe=recipe,
        encoder=encoder,
        framing=chosen,
        tokens=_tokens(tokens),
        unit=measured,
        domains=tuple(domain or ()),
        target=false_alarms,
        threads=threads,
    ).to_the_end(progress_bar)
    for name, figures in told["test"].items():
        shown = ", ".join(f"{key} {figures[key]:.3f}" for key in ("auroc", "tpr_at_1", "tpr_at_5", "f1"))
        typer.echo(f"{name}: {shown}, false alarms {figures['false_positive_rate']:.1%}")
    typer.echo(f"{out}: model of {detector}; {out / RESULTS} holds all figures")


def _tokens(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    rows, _, columns = text.lower().partition("x")
    if not (rows.isdigit() and columns.isdigit() and int(rows) and int(columns)):
        raise HandshiftError(f"--tokens {text}: write rows x columns, as 8x12")
    return int(rows), int(columns)


def _options(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise HandshiftError(f'--options {text}: not JSON ({error}); write it as {{"q": 5}}') from error
