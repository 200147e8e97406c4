"""handshift maps score: which maps do not belong."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handshift.error import HandshiftError

if TYPE_CHECKING:
    from handshift.healthmap.model import TrainedModel


def score(
    model: Annotated[Path, typer.Argument(help="Folder that `handshift maps train` wrote.")],
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Maps, folders or patterns.")],
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all scores as JSON.")
    ] = None,
    anomaly: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write how odd each pixel is, as float TIFF.")
    ] = None,
    domain: Annotated[
        str | None, typer.Option(help="Domain of all maps.", show_default="the folder a map lies in")
    ] = None,
    thresholds: Annotated[
        str, typer.Option(help="domain: each domain's own; global: one for all.")
    ] = "domain",
    threads: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Score maps with a trained model, without torch.

    A map that cannot be scored (of another size or kind than training's, damaged, with NaN in it) is told of
    and does not stop the others; one whose values lie out of the training range is scored with a warning.

    Example: handshift maps score model maps/A/test --json scores.json

    Exit codes: 0 all scored, 1 some could not be, 3 none, 4 a result could not be written.
    """
    from handshift.cli.destination import check_file, check_folder
    from handshift.cli.exits import Exit
    from handshift.healthmap.maps import MAP_SUFFIXES
    from handshift.healthmap.model import TrainedModel
    from handshift.page.finding import find_scans

    if thresholds not in ("domain", "global"):
        raise HandshiftError(f"--thresholds {thresholds}: choose domain or global")
    trained = TrainedModel.load(model, threads)
    known = trained.about.thresholds.by_domain
    if domain is not None and domain not in known:
        raise HandshiftError(f"--domain {domain}: the model knows {', '.join(known)}")
    if json_file:
        check_file(json_file)
    if anomaly:
        check_folder(anomaly)
    found = find_scans(paths, MAP_SUFFIXES)
    records = [_failed(error.path, error.problem) for error in found.errors]
    try:
        for path in _shown(found.scans):
            record = _scored(trained, path, domain, thresholds, anomaly)
            records.append(record)
    finally:  # after Ctrl-C too: what was scored is kept
        if json_file:
            from handshift.atomic import write_text

            about = {"written_by": "handshift maps score", "model": str(model), "maps": records}
            write_text(json_file, json.dumps(about, indent=1) + "\n")
    failed = sum(record["error"] is not None for record in records)
    flagged = sum(bool(record["flagged"]) for record in records)
    typer.echo(f"{len(records) - failed} maps scored, {flagged} flagged, {failed} could not be scored")
    if failed:
        raise typer.Exit(Exit.SOME_FAILED if failed < len(records) else Exit.NONE_EXAMINED)


def _scored(
    model: TrainedModel, path: Path, domain: str | None, scope: Any, anomaly: Path | None
) -> dict[str, Any]:
    from handshift.atomic import WriteError
    from handshift.healthmap.error import MapError
    from handshift.healthmap.maps import read_map, write_map

    own = domain or model.domain_of(path)
    try:
        verdict = model.examine(read_map(path), own, scope)
        if anomaly:
            write_map(anomaly / Path(own or "") / f"{path.stem}.tif", verdict.anomaly)
    except WriteError:
        raise
    except MapError as error:
        return _failed(path, error.problem, own)
    except Exception as error:  # what nobody foresaw must not stop the others either
        problem = f"handshift stumbled over this map ({type(error).__name__}: {error}); please report it"
        return _failed(path, problem, own)
    mark = "FLAGGED" if verdict.flagged else "normal "
    typer.echo(f"{mark}  {verdict.score:.4f} (threshold {verdict.threshold:.4f})  {path}")
    if verdict.warning:
        typer.echo(f"handshift: warning: {path}: {verdict.warning}", err=True)
    return {
        "path": str(path),
        "domain": own,
        "score": verdict.score,
        "threshold": verdict.threshold,
        "flagged": verdict.flagged,
        "warning": verdict.warning,
        "error": None,
    }


def _failed(path: Path, problem: str, domain: str | None = None) -> dict[str, Any]:
    typer.echo(f"handshift: {path}: {problem}", err=True)
    nothing = {"score": None, "threshold": None, "flagged": None, "warning": None}
    return {"path": str(path), "domain": domain, **nothing, "error": problem}


def _shown(paths: list[Path]) -> Iterable[Path]:
    """With a bar where lines are not printed to the same terminal."""
    if len(paths) < 2 or not sys.stderr.isatty() or sys.stdout.isatty():
        return paths
    from rich.console import Console
    from rich.progress import track

    return track(paths, "Scoring", console=Console(stderr=True), transient=True)
