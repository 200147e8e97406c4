"""A run of `handshift examine`: from paths to printed verdicts and written results."""

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
from handshift.cli.examine_options import ExamineOptions
from handshift.cli.exits import Exit
from handshift.cli.result_files import OutputPaths, ResultWriter
from handshift.cli.verdict_output import console, show_failures, show_propositions, show_verdict
from handshift.core.errors import HandshiftError, PageError
from handshift.models.shipped_models import find_model
from handshift.page.find_scans import find_scans

if TYPE_CHECKING:
    from handshift.attribution.verdict import Verdict
    from handshift.pipeline.examiner import Examiner
    from handshift.report import Run


def run_examination(paths: Iterable[Path | str], outputs: OutputPaths, options: ExamineOptions) -> Exit:
    """Examine everything the paths lead to, print the verdicts and write the results.

    Args:
        paths: Files, folders and patterns.
        outputs: Which results to write, and where.
        options: Model, language, verbal scale.

    Returns:
        The exit code: whether all, some or no pages were examined.
    """
    outputs.check()
    found = find_scans(paths)
    run = _ExamineRun(ResultWriter(outputs, find_model(options.model).card.id), options, console())
    interrupted = False
    try:
        for error in found.errors:
            run.record(error)
        if found.scans:
            run.examine(found.scans)
    except KeyboardInterrupt:
        interrupted = True
    except (HandshiftError, SystemExit):
        run.writer.close()  # what was finished before the disk was full, or the reader gone, is kept
        raise
    run.writer.close()
    return run.finish(interrupted)


@dataclass(slots=True)
class _ExamineRun:
    """What a run has seen so far, and where its results go."""

    writer: ResultWriter
    options: ExamineOptions
    screen: Console
    failures: list[PageError] = field(default_factory=list)
    propositions: Propositions | None = None

    def examine(self, scans: list[Path]) -> None:
        from handshift.page.decode_worker import WORKER
        from handshift.page.ocr import Reader
        from handshift.pipeline.examiner import Examiner

        WORKER.start()  # it starts while the model is loaded
        examiner = Examiner(self.options.model, reader=Reader() if self.options.read else None)
        if self.writer.outputs.report or self.writer.outputs.json:
            self.writer.run = _run_header(examiner, self.options)
        with _progress(scans, self.screen) as files:
            for path in files:
                for outcome in examiner.examine_pages(path):
                    self.record(outcome)

    def record(self, outcome: Verdict | PageError) -> None:
        """Print and write what came of one page: the one place where results are recorded."""
        if isinstance(outcome, PageError):
            self.failures.append(outcome)
        else:
            show_verdict(self.screen, outcome, self.options)
            self.propositions = outcome.propositions
        self.writer.add(outcome)

    def finish(self, interrupted: bool) -> Exit:
        if self.propositions:
            show_propositions(self.screen, self.propositions.in_language(self.options.language))
        _print_report_path(self.screen, self.writer)
        show_failures(console(error=True), self.failures)
        if interrupted:
            done = f"{len(self.writer.pages) - len(self.failures)} finished pages are kept"
            print(f"handshift: stopped by you; {done}, the rest was not examined", file=sys.stderr)
            return Exit.INTERRUPTED
        if not self.propositions:
            return Exit.NONE_EXAMINED
        return Exit.SOME_FAILED if self.failures else Exit.ALL_EXAMINED


def _run_header(examiner: Examiner, options: ExamineOptions) -> Run:
    from handshift.report import Run

    settings = {
        "model": examiner.model.id,
        "language": options.language.value,
        "words": "read by rapidocr" if options.read else "not read",
        "prior": "even odds of one hand and of several",
    }
    return Run(examiner.model, datetime.now().astimezone(), settings, options.language, options.scale)


def _print_report_path(screen: Console, writer: ResultWriter) -> None:
    if writer.reports:
        report = writer.reports[0] if len(writer.pages) == 1 else writer.reports[0].parent / "index.html"
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
