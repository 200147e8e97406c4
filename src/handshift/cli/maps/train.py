"""handshift maps train: Dinomaly, PatchCore, PaDiM, PCA or the row/column statistic on normal maps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift.core.errors import HandshiftError

if TYPE_CHECKING:
    from handshift.healthmap.baselines.patchcore import PatchCoreOptions

MODEL, RUN = "Detector", "This run"
STEPPED = {"per-iteration": "per_step", "per-epoch": "per_epoch"}


def train(
    data: Annotated[Path, typer.Argument(help="Folder `<domain>/train/good`, …, or a manifest.")],
    out: Annotated[Path, typer.Option(help="Folder for the model.")],
    detector: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODEL,
            help="dinomaly, patchcore, padim, pca; without encoder row-column, row-covariance.",
        ),
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
    loss_options: Annotated[
        str, typer.Option(rich_help_panel=MODEL, help='Options of the loss as JSON: `{"q": 5}`.')
    ] = "{}",
    auxiliary: Annotated[
        float, typer.Option(min=0, rich_help_panel=MODEL, help="Weight of the auxiliary domain classifier.")
    ] = 0.0,
    width: Annotated[
        int | None, typer.Option(rich_help_panel=MODEL, help="Of the decoder.", show_default="the encoder's")
    ] = None,
    depth: Annotated[int, typer.Option(rich_help_panel=MODEL, help="Decoder blocks, even.")] = 4,
    aggregation: Annotated[
        str | None,
        typer.Option(rich_help_panel=MODEL, help="Over scales: mean, gem.", show_default="as the loss"),
    ] = None,
    top_percent: Annotated[
        float, typer.Option(rich_help_panel=MODEL, help="Percentage of pixels whose mean is the score.")
    ] = 1.0,
    detector_options: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODEL,
            help='Of PatchCore as JSON: `{"coreset": 1000, "neighbours": 9, "pooling": true}`.',
        ),
    ] = "{}",
    blur: Annotated[
        float,
        typer.Option(min=0, rich_help_panel=MODEL, help="σ of a Gaussian over the anomaly map, in pixels."),
    ] = 0.0,
    amsgrad: Annotated[
        bool, typer.Option("--amsgrad", rich_help_panel=MODEL, help="As the original Dinomaly.")
    ] = False,
    epsilon: Annotated[
        float, typer.Option(rich_help_panel=MODEL, help="Of the optimizer; 1e-10 in the original.")
    ] = 1e-8,
    plain_decay: Annotated[
        bool,
        typer.Option(
            "--plain-decay", rich_help_panel=MODEL, help="Weight decay not clipped, as the original."
        ),
    ] = False,
    class_tokens: Annotated[
        bool,
        typer.Option(
            "--class-tokens",
            rich_help_panel=MODEL,
            help="Class and register tokens pass through the decoder, as in the original.",
        ),
    ] = False,
    centred: Annotated[
        bool,
        typer.Option(
            "--centred", rich_help_panel=MODEL, help="Subtract the mean normal feature before cosines."
        ),
    ] = False,
    lengths: Annotated[
        bool,
        typer.Option("--lengths", rich_help_panel=MODEL, help="Cosines see the lengths of features too."),
    ] = False,
    steps: Annotated[int, typer.Option(min=1)] = 1000,
    batch: Annotated[int, typer.Option(min=1)] = 16,
    learning_rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 2e-3,
    stepped: Annotated[
        str,
        typer.Option(help="Learning-rate schedule advances per-iteration, or per-epoch as in the source."),
    ] = "per-iteration",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    framing: Annotated[
        str | None,
        typer.Option(
            help="circular, crop (as the source), whole, fitted (pictures at their own shape).",
            show_default="circular for maps, whole for pictures",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            show_default="standard for tooth × tooth maps of `simulate` and `build`, map where columns are "
            "turns, domain for all others",
            help="domain: maps over its largest training value; map: over their own mean; standard: level, "
            "usual pixel, rows and columns removed, over their own noise; raw: as they are.",
        ),
    ] = None,
    tokens: Annotated[
        str | None, typer.Option(metavar="ROWSxCOLUMNS", help="Patches.", show_default="by the maps' size")
    ] = None,
    domain: Annotated[
        list[str] | None, typer.Option(help="Only this domain; may be repeated.", show_default="all")
    ] = None,
    false_alarms: Annotated[
        float, typer.Option(help="Share of normal maps that may be flagged; sets the thresholds.")
    ] = 0.01,
    held_out: Annotated[
        float,
        typer.Option(min=0.05, max=0.5, help="Share of the normal maps held out to set thresholds by."),
    ] = 0.1,
    threads: Annotated[int, typer.Option(min=1, rich_help_panel=RUN)] = 1,
) -> None:
    """Train a detector on normal maps; the same command resumes an interrupted training.

    Features of a frozen encoder are computed once and cached in OUT/cache. Thresholds are set on held-out
    normal maps, never on test maps. OUT then holds all that `handshift maps score` needs.

    Example: handshift maps train maps/ --out model --loss top-q --loss-options '{"q": 5}'
    """
    from handshift.cli.maps.progress import progress_bar
    from handshift.healthmap.detectors import DETECTORS
    from handshift.healthmap.dinomaly.dinomaly_recipe import parse_recipe
    from handshift.healthmap.framing import FRAMINGS
    from handshift.healthmap.thresholds import Thresholds
    from handshift.healthmap.train_detector import RESULTS, DetectorTraining
    from handshift.healthmap.units import UNITS

    if detector not in DETECTORS:
        raise HandshiftError(f"--detector {detector}: choose {', '.join(DETECTORS)}")
    chosen_framing = next((name for name in FRAMINGS if name == framing), None)
    if framing is not None and chosen_framing is None:
        raise HandshiftError(f"--framing {framing}: choose {', '.join(FRAMINGS)}")
    chosen_unit = next((name for name in UNITS if name == unit), None)
    if unit is not None and chosen_unit is None:
        raise HandshiftError(f"--unit {unit}: choose {', '.join(UNITS)}")
    if stepped not in STEPPED:
        raise HandshiftError(f"--stepped {stepped}: choose {', '.join(STEPPED)}")
    over_scales = aggregation or ("gem" if loss == "gem" else "mean")
    recipe = parse_recipe({
        "loss": loss, "options": _parse_json(loss_options, "--loss-options"), "auxiliary": auxiliary,
        "width": width, "depth": depth, "steps": steps, "batch": batch,
        "scoring": {"aggregation": over_scales, "top": top_percent, "blur": blur},
        "rate": learning_rate, "warmup": min(100, steps // 10), "seed": seed,
        "stepped": STEPPED[stepped], "amsgrad": amsgrad, "epsilon": epsilon, "plain_decay": plain_decay,
        "class_tokens": class_tokens, "centred": centred, "lengths": lengths,
    })  # fmt: skip
    results = DetectorTraining(
        data=data,
        out=out,
        detector=detector,
        recipe=recipe,
        encoder=encoder,
        framing=chosen_framing,
        tokens=_parse_tokens(tokens),
        unit=chosen_unit,
        domains=tuple(domain or ()),
        target=false_alarms,
        held_out=held_out,
        patchcore=_patchcore(detector_options),
        threads=threads,
    ).run(progress_bar)
    for name, figures in results["test"].items():
        shown = ", ".join(f"{key} {figures[key]:.3f}" for key in ("auroc", "tpr_at_1", "tpr_at_5", "f1"))
        level = results["mean_level_auroc"].get(name)
        beside = f"; mean level alone: auroc {level:.3f}" if level is not None else ""
        typer.echo(f"{name}: {shown}, false alarms {figures['false_positive_rate']:.1%}{beside}")
    weak = Thresholds.model_validate(results["thresholds"]).weak()
    for one in weak:
        typer.echo(f"handshift: warning: {one}", err=True)
    if weak:
        typer.echo("handshift: give more normal maps, or hold out more of them (--held-out)", err=True)
    typer.echo(f"{out}: {detector} trained; all figures are in {out / RESULTS}")


def _parse_tokens(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    rows, _, columns = text.lower().partition("x")
    if not (rows.isdecimal() and columns.isdecimal() and int(rows) and int(columns)):
        raise HandshiftError(f"--tokens {text}: write rows x columns, as 8x12")
    return int(rows), int(columns)


def _parse_json(text: str, option: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise HandshiftError(f'{option} {text}: not JSON ({error}); write it as {{"q": 5}}') from error


def _patchcore(text: str) -> PatchCoreOptions:
    from pydantic import ValidationError

    from handshift.healthmap.baselines.patchcore import PatchCoreOptions

    try:
        return PatchCoreOptions.model_validate(_parse_json(text, "--detector-options"))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        known = ", ".join(PatchCoreOptions.model_fields)
        raise HandshiftError(f"--detector-options {where}: {first['msg']}; it has {known}") from error
