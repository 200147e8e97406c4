"""Run, follow and read studies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from handshift.core.errors import HandshiftError

if TYPE_CHECKING:
    from handshift.study.results import Results
    from handshift.study.runner import RunEvent

app = typer.Typer(help="Compare variants over seeds: run, follow, tabulate, report.", no_args_is_help=True)

StudyFile = Annotated[Path, typer.Argument(help="Study file (YAML).", show_default=False)]
Study = Annotated[str, typer.Argument(help="Study file, or the name of a study in the results folder.")]
ResultsFolder = Annotated[Path, typer.Option("--results", help="Where results lie.")]
DEFAULT_RESULTS = Path("results")


@app.command()
def run(
    file: StudyFile,
    results: ResultsFolder = DEFAULT_RESULTS,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs side by side; one per core if not given.")
    ] = None,
) -> None:
    """Run what is missing. After Ctrl-C or a crash, the same command goes on where it was."""
    with _train_extra():
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from handshift.study.runner import planned_runs, run_study
        from handshift.study.spec import load_spec

        spec = load_spec(file)
        runs = planned_runs(spec, results)
        done = sum(entry.done for entry in runs)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
        )
        with Progress(*columns, console=Console(stderr=True)) as progress:
            bar = progress.add_task(spec.name, total=len(runs), completed=done)

            def tell(event: RunEvent) -> None:
                words = f"failed: {event.error}" if event.error else f"{event.seconds:.1f} s"
                progress.console.print(f"{event.run.folder.name}  {words}", markup=False, highlight=False)
                progress.advance(bar)

            try:
                failed = run_study(spec, results, jobs, tell)
            except KeyboardInterrupt:
                progress.console.print("Stopped. The same command goes on where it was.")
                raise typer.Exit(130) from None
        if failed:
            raise HandshiftError(
                f"{len(failed)} of {len(runs)} runs failed; the same command tries them again"
            )


@app.command()
def status(file: StudyFile, results: ResultsFolder = DEFAULT_RESULTS) -> None:
    """Show which runs are done, begun or missing."""
    with _train_extra():
        from rich.table import Table

        from handshift.study.runner import planned_runs
        from handshift.study.spec import load_spec

        spec = load_spec(file)
        runs = {(entry.variant, entry.seed): entry for entry in planned_runs(spec, results)}
        table = Table("variant", *(f"seed {seed}" for seed in spec.seeds))
        for variant in spec.expanded():
            entries = [runs[variant, seed] for seed in spec.seeds]
            table.add_row(variant, *("done" if e.done else "begun" if e.started else "–" for e in entries))
        console = Console()
        console.print(table)
        console.print(f"{sum(entry.done for entry in runs.values())} of {len(runs)} runs done")


@app.command()
def table(
    study: Study,
    results: ResultsFolder = DEFAULT_RESULTS,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="For documents, not for the terminal.")
    ] = False,
) -> None:
    """Print mean ± std per group, and every variant's tests against the baseline."""
    with _train_extra():
        from handshift.study.tables import print_tables

        print_tables(_load(study, results), markdown)


@app.command()
def report(study: Study, results: ResultsFolder = DEFAULT_RESULTS) -> None:
    """Write one HTML page with tables, tests and figures; Markdown and CSV beside it."""
    with _train_extra():
        from handshift.study.study_report import write_report

        typer.echo(write_report(_load(study, results)))


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV with the columns variant,seed,group,metric,value.")],
    baseline: Annotated[str, typer.Option(help="The variant all others are compared with.")],
    name: Annotated[str | None, typer.Option(help="Name of the study; the file's name if not given.")] = None,
    title: Annotated[str, typer.Option(help="Title of the report.")] = "",
    results: ResultsFolder = DEFAULT_RESULTS,
) -> None:
    """Take in figures measured elsewhere, seed by seed, and print their tables and tests."""
    with _train_extra():
        from handshift.study.results import import_csv
        from handshift.study.tables import print_tables

        print_tables(import_csv(file, results, baseline, name, title), markdown=False)


def _load(study: str, results: Path) -> Results:
    from handshift.study.results import load_results
    from handshift.study.spec import load_spec

    name = load_spec(Path(study)).name if study.endswith((".yaml", ".yml")) else study
    return load_results(results / name)


@contextmanager
def _train_extra() -> Iterator[None]:
    """Say what to install when a library of the ``train`` extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        advice = "pip install 'handshift[train]'"
        raise HandshiftError(f"studies need {error.name}, which is not installed: {advice}") from error
