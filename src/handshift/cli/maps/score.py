"""handshift maps score: anomaly scores of maps."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import ResumeOption
from handshift.core.errors import HandshiftError

if TYPE_CHECKING:
    from handshift.cli.maps.map_results import MapResults
    from handshift.healthmap.trained_model import TrainedModel


def score(
    model: Annotated[Path, typer.Argument(help="Folder that `handshift maps train` wrote.")],
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Maps, folders, patterns, or a data set: its test maps."),
    ],
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all scores as JSON.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML report: pictures, ROC, which tooth.")
    ] = None,
    lang: Annotated[Language, typer.Option(help="Language of the report.")] = Language.en,
    anomaly: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write anomaly maps as float TIFF.")
    ] = None,
    domain: Annotated[
        str | None, typer.Option(help="Domain of all maps.", show_default="the folder a map lies in")
    ] = None,
    thresholds: Annotated[
        str, typer.Option(help="domain: one for each domain; global: one for all.")
    ] = "domain",
    resume: ResumeOption = True,
    threads: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Score maps with a trained model, without torch.

    A map that cannot be scored (damaged, with NaN, or of another size or kind than the training maps) is
    reported and does not stop the others. A map with values far out of the training range is scored with a
    warning. The list is ordered by score. Of a data set only the test maps are scored.

    Example: handshift maps score model maps/A/test --json scores.json

    Exit codes: 0 all scored, 1 some could not be, 3 none, 4 a result could not be written.
    """
    from handshift.cli.destination import check_file, check_folder
    from handshift.cli.exits import Exit
    from handshift.cli.maps.map_paths import find_maps
    from handshift.cli.maps.map_results import MapResults
    from handshift.cli.verdict_output import show_kept
    from handshift.core.counted import counted
    from handshift.core.run_journal import digest_of, journal_beside
    from handshift.healthmap.trained_model import TrainedModel

    if thresholds not in ("domain", "global"):
        raise HandshiftError(f"--thresholds {thresholds}: choose domain or global")
    trained = TrainedModel.load(model, threads)
    known = trained.metadata.thresholds.by_domain
    if domain is not None and domain not in known:
        raise HandshiftError(f"--domain {domain}: the model was trained on {', '.join(known)}")
    for file in filter(None, (json_file, report)):
        check_file(file)
    if anomaly:
        check_folder(anomaly)
    found = find_maps(paths)
    results = MapResults(model, thresholds, reported=report is not None)
    for error in found.errors:
        results.fail(error.path, error.problem)
    settings = {"maps score": digest_of(model), "domain": domain, "thresholds": thresholds}
    # The report shows pictures of maps, which an earlier attempt took with it.
    keep = resume and report is None
    restored = 0
    with journal_beside(json_file, None, settings | {"anomaly": str(anomaly)}, resume=keep) as journal:
        done = False
        try:
            for path, listed in _with_progress(found.maps):
                earlier = journal.earlier(path)[0] if journal else []
                if earlier:
                    results.restore(earlier[0])
                    restored += 1
                    continue
                own = listed if listed in known else trained.domain_of(path)
                _score(trained, path, domain or own, results, anomaly)
                if journal:
                    journal.add(results.records[-1], path, digest_of(path))
            done = True
        finally:  # after Ctrl-C too
            results.print_by_score()
            if json_file:
                results.write_json(json_file, complete=done)
        if journal:
            journal.finish()
    if restored:
        show_kept(counted(restored, "map"))
    weak = trained.metadata.thresholds.weak(results.scope, results.domains())
    if report:
        results.write_report(report, lang, weak)
    failed = len(results.failed)
    scored = len(results.records) - failed
    flagged = sum(bool(record["flagged"]) for record in results.records)
    typer.echo(f"{scored} maps scored, {flagged} flagged, {failed} could not be scored")
    for one in weak if scored else ():
        typer.echo(f"handshift: warning: {one}", err=True)
    if failed:
        raise typer.Exit(Exit.SOME_FAILED if scored else Exit.NONE_EXAMINED)


def _score(
    model: TrainedModel, path: Path, domain: str | None, results: MapResults, anomaly: Path | None
) -> None:
    from handshift.core.errors import MapError
    from handshift.healthmap.health_map import read_map, write_map

    try:
        scored = model.examine(read_map(path), domain, results.scope)
        if anomaly:
            write_map(anomaly / Path(domain or "") / f"{path.stem}.tif", scored.anomaly)
    except MapError as error:
        results.fail(path, error.problem, domain)
    except (HandshiftError, ModuleNotFoundError):  # no room left, or an extra that is not installed
        raise
    except Exception as error:  # an unexpected error must not stop the other maps either
        problem = f"unexpected error ({type(error).__name__}: {error}); please report it"
        results.fail(path, problem, domain)
    else:
        results.add(scored, domain)


def _with_progress(maps: list[tuple[Path, str | None]]) -> Iterable[tuple[Path, str | None]]:
    """Show a progress bar on a terminal."""
    if len(maps) < 2 or not sys.stderr.isatty():
        return maps
    from rich.console import Console
    from rich.progress import track

    return track(maps, "Scoring", console=Console(stderr=True), transient=True)
