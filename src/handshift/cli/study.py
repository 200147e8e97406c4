"""Run, follow and read studies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from handshift.cli.engine_options import AddressOption, EngineOption, engine_choice
from handshift.core.errors import HandshiftError

if TYPE_CHECKING:
    from handshift.study.results import Results
    from handshift.study.runner import RunEvent

app = typer.Typer(help="Compare variants over seeds: run, follow, tabulate, report.", no_args_is_help=True)

StudyFile = Annotated[Path, typer.Argument(help="Study file (YAML).", show_default=False)]
Study = Annotated[str, typer.Argument(help="Study file, or the name of a study in the results folder.")]
ResultsFolder = Annotated[Path, typer.Option("--results", help="Folder of the studies' tables.")]
WorkFolder = Annotated[
    Path, typer.Option("--work", help="Folder of the runs: checkpoints and figures until they are collected.")
]
DraftFlag = Annotated[
    bool, typer.Option("--draft", help="Allow code that differs from its commit; the results are marked.")
]
DEFAULT_RESULTS = Path("results")
DEFAULT_WORK = Path("runs/studies")


@app.command()
def run(
    file: StudyFile,
    results: ResultsFolder = DEFAULT_RESULTS,
    work: WorkFolder = DEFAULT_WORK,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Runs side by side; one per core if not given.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this variant; may be repeated.", show_default="all")
    ] = None,
    seed: Annotated[
        list[int] | None, typer.Option(help="Only this seed; may be repeated.", show_default="all")
    ] = None,
    draft: DraftFlag = False,
    engine: EngineOption = None,
    address: AddressOption = None,
) -> None:
    """Run what is missing. After Ctrl-C or a crash, the same command resumes.

    Runs in the results folder stay there and are not run again; --only and --seed choose from the rest.

    Code that differs from its commit is refused: commit it, or run from a second git worktree.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from handshift.study.run_choice import RunChoice
    from handshift.study.runner import StudyFolders, planned_runs, run_study
    from handshift.study.spec import load_spec

    spec, folders = load_spec(file), StudyFolders(results, work)
    choice = RunChoice(tuple(only or ()), tuple(seed or ()))
    choice.check(spec)
    runs = [entry for entry in planned_runs(spec, folders, draft) if choice.holds(entry)]
    done = sum(entry.done for entry in runs)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task(spec.name, total=len(runs), completed=done)

        def print_event(event: RunEvent) -> None:
            outcome = f"failed: {event.error}" if event.error else f"{event.seconds:.1f} s"
            progress.console.print(f"{event.run.folder.name}  {outcome}", markup=False, highlight=False)
            progress.advance(bar)

        try:
            chosen = engine_choice(engine, jobs, address) if engine or address else None
            on = chosen.start(long_work=True) if chosen else None
            failed = run_study(spec, folders, jobs, print_event, draft, on, choice)
        except KeyboardInterrupt:
            progress.console.print("Stopped. The same command resumes.")
            raise typer.Exit(130) from None
    if failed:
        raise HandshiftError(f"{len(failed)} of {len(runs)} runs failed; the same command tries them again")


@app.command()
def status(
    file: StudyFile,
    results: ResultsFolder = DEFAULT_RESULTS,
    work: WorkFolder = DEFAULT_WORK,
    draft: DraftFlag = False,
) -> None:
    """Show which runs are done, begun or missing."""
    from rich.table import Table

    from handshift.study.runner import StudyFolders, planned_runs
    from handshift.study.spec import load_spec

    spec = load_spec(file)
    planned = planned_runs(spec, StudyFolders(results, work), draft)
    runs = {(entry.variant, entry.seed): entry for entry in planned}
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
    work: WorkFolder = DEFAULT_WORK,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="For documents, not for the terminal.")
    ] = False,
) -> None:
    """Print mean ± std per group, and every variant's tests against the baseline."""
    from handshift.study.terminal_tables import print_tables

    print_tables(_load(study, results, work), markdown)


@app.command()
def report(study: Study, results: ResultsFolder = DEFAULT_RESULTS, work: WorkFolder = DEFAULT_WORK) -> None:
    """Write one HTML page with tables, tests and figures; Markdown and CSV beside it."""
    from handshift.study.study_report import write_report

    typer.echo(write_report(_load(study, results, work)))


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV with the columns variant,seed,group,metric,value.")],
    baseline: Annotated[str, typer.Option(help="The variant all others are compared with.")],
    name: Annotated[str | None, typer.Option(help="Name of the study; the file's name if not given.")] = None,
    title: Annotated[str, typer.Option(help="Title of the report.")] = "",
    results: ResultsFolder = DEFAULT_RESULTS,
) -> None:
    """Import figures measured elsewhere, seed by seed, and print their tables and tests."""
    from handshift.study.import_table import import_csv
    from handshift.study.terminal_tables import print_tables

    print_tables(import_csv(file, results, baseline, name, title), markdown=False)


def _load(study: str, results: Path, work: Path) -> Results:
    """Collect what runs have finished since, then read the study's table."""
    from handshift.study.collected import collect
    from handshift.study.results import load_results
    from handshift.study.spec import load_spec

    name = load_spec(Path(study)).name if study.endswith((".yaml", ".yml")) else study
    collect(work / name, results / name)
    return load_results(results / name, work / name)
