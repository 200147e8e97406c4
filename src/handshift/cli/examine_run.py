"""A run from paths to printed verdicts and written results."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from handshift.calibration.propositions import Propositions
from handshift.cli.batch import Failure, examined, failure
from handshift.cli.examine_options import Manner
from handshift.cli.exits import Exit
from handshift.cli.result_files import Results, Wanted
from handshift.cli.verdict_output import console, show_failures, show_propositions, show_verdict
from handshift.core.errors import HandshiftError
from handshift.models.shipped_models import find_model
from handshift.page.find_scans import find_scans

if TYPE_CHECKING:
    from handshift.pipeline.examiner import Examiner
    from handshift.report import Run


@dataclass(slots=True)
class _Tally:
    """What a run has seen so far."""

    failures: list[Failure] = field(default_factory=list)
    propositions: Propositions | None = None


def run_examination(paths: Iterable[Path | str], wanted: Wanted, manner: Manner) -> Exit:
    """Examine everything the paths lead to, print it, write what is wanted, and tell how it went."""
    wanted.check()
    found = find_scans(paths)
    results = Results(wanted, find_model(manner.model).card.id)
    screen, tally = console(), _Tally()
    interrupted = False
    try:
        for error in found.errors:
            _note(results, tally, failure(error.path, error))
        if found.scans:
            _examine_all(found.scans, results, tally, screen, manner)
    except KeyboardInterrupt:
        interrupted = True
    except (HandshiftError, SystemExit):
        results.close()  # what was finished before the disk was full, or the reader gone, is kept
        raise
    results.close()
    if tally.propositions:
        show_propositions(screen, tally.propositions.in_language(manner.language))
    _tell_where(screen, results)
    show_failures(console(error=True), tally.failures)
    if interrupted:
        done = f"{len(results.pages) - len(tally.failures)} finished pages are kept"
        print(f"handshift: stopped by you; {done}, the rest was not examined", file=sys.stderr)
        return Exit.INTERRUPTED
    if not tally.propositions:
        return Exit.NONE_EXAMINED
    return Exit.SOME_FAILED if tally.failures else Exit.ALL_EXAMINED


def _examine_all(scans: list[Path], results: Results, tally: _Tally, screen: Console, manner: Manner) -> None:
    from handshift.page.ocr import Reader
    from handshift.pipeline.examiner import Examiner

    examiner = Examiner(manner.model, reader=Reader() if manner.read else None)
    if results.wanted.report or results.wanted.json:
        results.run = _run(examiner, manner)
    with _progress(scans, screen) as files:
        for path in files:
            for outcome in examined(examiner, path):
                if isinstance(outcome, Failure):
                    _note(results, tally, outcome)
                    continue
                show_verdict(screen, outcome, manner)
                tally.propositions = outcome.propositions
                results.add(outcome)


def _note(results: Results, tally: _Tally, missed: Failure) -> None:
    tally.failures.append(missed)
    results.add(missed)


def _run(examiner: Examiner, manner: Manner) -> Run:
    from handshift.report import Run

    settings = {
        "model": examiner.model.id,
        "language": manner.language.value,
        "words": "read by rapidocr" if manner.read else "not read",
        "prior": "even odds of one hand and of several",
    }
    return Run(examiner.model, datetime.now().astimezone(), settings, manner.language, manner.scale)


def _tell_where(screen: Console, results: Results) -> None:
    if results.reports:
        report = results.reports[0] if len(results.pages) == 1 else results.reports[0].parent / "index.html"
        screen.print(f"Report: {report}", markup=False, soft_wrap=True)


@contextmanager
def _progress(scans: list[Path], screen: Console) -> Iterator[Iterable[Path]]:
    """Show a bar on a terminal when there is more than one file; a single page is faster than the bar."""
    if len(scans) < 2 or not sys.stderr.isatty():
        yield scans
        return
    from rich.progress import Progress

    # Verdicts on the same terminal must be printed by the bar's own console, or they would run into it.
    beside = screen if sys.stdout.isatty() else console(error=True)
    with Progress(console=beside, transient=True) as bar:
        yield bar.track(scans, description="Examining")
