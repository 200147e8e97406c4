"""A run of `handshift examine`: from paths to printed verdicts and written results."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console

from handshift.calibration.propositions import Propositions
from handshift.calibration.verbal_scale import Language
from handshift.cli.examine_options import ExamineOptions
from handshift.cli.exits import Exit
from handshift.cli.findings_journal import FindingsJournal, FinishedPage, findings_journal
from handshift.cli.result_files import OutputPaths, ResultWriter
from handshift.cli.verdict_output import console, pages_kept, show_failures, show_propositions, show_verdict
from handshift.core.errors import BlankPageError, HandshiftError, NoWritingError, PageError
from handshift.core.run_journal import digest_of
from handshift.core.terminal_text import one_line
from handshift.core.version import __version__
from handshift.models.shipped_models import ShippedModel, find_model
from handshift.page.find_scans import FoundScans, find_scans
from handshift.report.page_report import texts

if TYPE_CHECKING:
    from handshift.attribution.verdict import Verdict
    from handshift.core.model_card import ModelCard
    from handshift.engine.engine import Engine
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
    model = find_model(options.model)
    found = _found(paths, options.cut or model.card.reads)
    writer = ResultWriter(outputs, model.card.id)
    settings = _settings(model, outputs, options)
    # A TEI file of all pages is written from memory, which an earlier attempt took with it.
    resume = options.resume and not any(output.is_file for output in outputs.xml())
    interrupted = False
    with findings_journal(
        outputs.json, outputs.report, settings, resume=resume, parquet=outputs.parquet
    ) as journal:
        run = _ExamineRun(writer, options, console(), journal)
        try:
            for error in found.errors:
                run.record(error)
            if found.scans:
                run.examine(found.scans)
        except KeyboardInterrupt:
            interrupted = True
        except (HandshiftError, SystemExit):
            run.writer.close(complete=False)  # what was finished before the disk was full is kept
            raise
        run.writer.close(complete=not interrupted)
        if journal and not interrupted:
            journal.finish()
    return run.finish(interrupted)


@dataclass(slots=True)
class _ExamineRun:
    """What a run has seen so far, and where its results go."""

    writer: ResultWriter
    options: ExamineOptions
    screen: Console
    journal: FindingsJournal | None = None
    failures: list[PageError] = field(default_factory=list)
    blank: list[PageError] = field(default_factory=list)
    no_writing: list[PageError] = field(default_factory=list)
    outside: int = 0
    """Pages examined that lie outside of what was validated."""
    propositions: Propositions | None = None
    seen: dict[tuple[str, int], Path] = field(default_factory=dict)
    """First path of every page, by the SHA-256 of its file and its number."""
    restored: int = 0
    """Pages taken over from an attempt that did not finish."""

    def examine(self, scans: list[Path]) -> None:
        if self.options.engine:
            self._examine_on(self.options.engine.start(), scans)
            return
        from handshift.embedding.crops.file_contents import FileContents
        from handshift.page.decode_worker import WORKER
        from handshift.page.ocr import Reader
        from handshift.pipeline.examiner import Examiner

        WORKER.start()  # it starts while the model is loaded
        examiner = Examiner(
            self.options.model,
            reader=Reader() if self.options.read else None,
            force=self.options.force,
            cut=FileContents(self.options.cut) if self.options.cut else None,
        )
        self._head()
        with _progress(len(scans), self.screen) as file_done:
            for path in scans:
                earlier, ended = self._restored(path)
                if not ended:
                    self._keep(path, examiner.examine_pages(path, len(earlier)), last=True)
                file_done()

    def _examine_on(self, engine: Engine, scans: list[Path]) -> None:
        """Examine files in the workers of an engine; results are recorded here, in the order of the files."""
        from handshift.pipeline.examine_files import ExamineWork, FilePart, file_parts

        self._head()
        listed: deque[tuple[Path, Sequence[FinishedPage]]] = deque()
        """Files handed out or finished by an earlier attempt whose pages are not recorded yet."""

        def parts() -> Iterator[FilePart]:
            for path in scans:
                earlier, ended = self.journal.earlier(path) if self.journal else ([], False)
                listed.append((path, earlier))
                if not ended:
                    yield from file_parts(path, len(earlier))

        def restore_until(path: Path | None) -> None:
            while listed:
                file, earlier = listed.popleft()
                for page in earlier:
                    self.restore(page, file)
                if file == path:
                    return
                file_done()

        pixels = self.writer.outputs.report is not None
        work = ExamineWork(
            self.options.model, self.options.read, self.options.force, pixels, self.options.cut
        )
        current = None
        with _progress(len(scans), self.screen) as file_done:
            for outcome in engine.map(work, parts()):
                part = outcome.item
                if part.path != current:
                    restore_until(current := part.path)
                pages = part.lost(outcome.error or "") if outcome.result is None else outcome.result
                self._keep(part.path, pages, last=part.last)
                if part.last:
                    file_done()
            restore_until(None)

    def _head(self) -> None:
        if self.writer.outputs.about_all:
            self.writer.run = _run_header(find_model(self.options.model).card, self.options)

    def _restored(self, path: Path) -> tuple[Sequence[FinishedPage], bool]:
        """Restore the pages of a file that an earlier attempt has finished, and say whether these are all."""
        earlier, ended = self.journal.earlier(path) if self.journal else ([], False)
        for page in earlier:
            self.restore(page, path)
        return earlier, ended

    def _keep(self, path: Path, outcomes: Iterable[Verdict | PageError], last: bool) -> None:
        """Record pages of a file, and that it has ended with the last of them."""
        sha256: str | None = None
        for outcome in outcomes:
            sha256 = outcome.sha256 if isinstance(outcome, PageError) else outcome.page.sha256
            shown, finished = self._written(outcome)
            if self.journal:
                self.journal.add(finished, path, sha256)
            self._show(shown)  # last: a reader who leaves takes no finished page along
        if self.journal and last:
            self.journal.end_file(path, sha256)

    def restore(self, page: FinishedPage, source: Path) -> None:
        """Count a page of an earlier attempt, as if it had been examined now."""
        record = page.record
        self.restored += 1
        if record["propositions"]:
            self.propositions = Propositions.from_record(cast("dict[str, Any]", record["propositions"]))
        if record["error"] is not None:
            kind = {"blank": BlankPageError, "no-writing": NoWritingError}.get(record["status"], PageError)
            self._count(
                kind(record["path"], record["error"], number=record["page"] - 1, sha256=record["sha256"])
            )
        elif record["sha256"] is not None:
            self.outside += not record["scope"]["inside"]
            self.seen.setdefault((record["sha256"], record["page"] - 1), source)
        self.writer.restore(page, source)

    def record(self, outcome: Verdict | PageError) -> None:
        """Write and print what came of one page."""
        self._show(self._written(outcome)[0])

    def _written(self, outcome: Verdict | PageError) -> tuple[Verdict | PageError, FinishedPage]:
        """Count and write one page: the one place where results are recorded."""
        if isinstance(outcome, PageError):
            self._count(outcome)
        else:
            self.outside += not outcome.scope.inside
            outcome = self._with_duplicate(outcome)
            self.propositions = outcome.propositions
        return outcome, self.writer.add(outcome)

    def _show(self, outcome: Verdict | PageError) -> None:
        if not isinstance(outcome, PageError):
            show_verdict(self.screen, outcome, self.options)

    def _count(self, error: PageError) -> None:
        if isinstance(error, BlankPageError):
            self.blank.append(error)
        elif isinstance(error, NoWritingError):
            self.no_writing.append(error)
        else:
            self.failures.append(error)

    def _with_duplicate(self, verdict: Verdict) -> Verdict:
        """Warn where the same file was examined under another name."""
        page = verdict.page
        first = self.seen.setdefault((page.sha256, page.number), page.source)
        if first == page.source:
            return verdict
        warning = texts(self.options.language)["duplicate"].format(path=one_line(first))
        return replace(verdict, warnings=(*verdict.warnings, warning))

    def finish(self, interrupted: bool) -> Exit:
        if self.restored:
            pages_kept(self.restored, self.options.language)
        if self.propositions:
            show_propositions(self.screen, self.propositions, self.options.language)
        _print_report_path(self.screen, self.writer, self.options.language)
        show_failures(
            console(error=True), [*self.blank, *self.no_writing, *self.failures], self.options.language
        )
        if interrupted:
            stopped = texts(self.options.language)["term_stopped"].format(count=self.writer.examined)
            print(f"handshift: {stopped}", file=sys.stderr)
            return Exit.INTERRUPTED
        if not self.propositions and not self.no_writing:
            return Exit.NONE_EXAMINED
        if self.failures:
            return Exit.SOME_FAILED
        return Exit.OUT_OF_SCOPE if self.outside or self.no_writing else Exit.ALL_EXAMINED


def _found(paths: Iterable[Path | str], contents: str) -> FoundScans:
    """Scans, or folders of word pictures."""
    if contents == "page":
        return find_scans(paths)
    from handshift.pipeline.word_documents import find_word_documents

    return find_word_documents(paths)


def _settings(model: ShippedModel, outputs: OutputPaths, options: ExamineOptions) -> dict[str, Any]:
    """Everything that the results of a run depend on."""
    return {
        "handshift": __version__,
        "model": [model.card.id, digest_of(model.folder)],
        "language": options.language.value,
        "cut": options.cut,
        "read": options.read,
        "scale": options.scale.name,
        "force": options.force,
        "case": options.case,
        "report": str(outputs.report),
        "pdf": outputs.pdf,
        "parquet": outputs.parquet,
        "xml": [output.setting for output in outputs.xml()],
    }


def _run_header(model: ModelCard, options: ExamineOptions) -> Run:
    from handshift.report import Run

    settings = {
        "model": model.id,
        "language": options.language.value,
        "words": "read by rapidocr" if options.read else "not read",
        "prior": "even odds of one hand and of several",
        "scope": "ratios stated outside as well (--force)" if options.force else "guarded",
    }
    started = datetime.now().astimezone()
    return Run(model, started, settings, options.language, options.scale, case=options.case)


def _print_report_path(screen: Console, writer: ResultWriter, language: Language) -> None:
    if writer.reports:
        report = writer.reports[0] if len(writer.pages) == 1 else writer.reports[0].parent / "index.html"
        screen.print(f"{texts(language)['term_report']}: {one_line(report)}", markup=False, soft_wrap=True)


@contextmanager
def _progress(files: int, screen: Console) -> Iterator[Callable[[], None]]:
    """Show a bar on a terminal when there is more than one file; a single page is faster than the bar.

    Yields:
        What is called when the pages of a file are recorded.
    """
    if files < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import Progress

    # Verdicts on the same terminal must be printed by the bar's own console, or they would run into it.
    beside = screen if sys.stdout.isatty() else console(error=True)
    with Progress(console=beside, transient=True) as bar:
        task = bar.add_task("Examining", total=files)
        yield lambda: bar.advance(task)
