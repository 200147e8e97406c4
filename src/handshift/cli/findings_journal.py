"""The journal of `handshift examine`: records of pages, names of their reports, findings in Parquet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from handshift.core.cache_folder import cache_folder
from handshift.core.file_folder import is_url, open_folder
from handshift.core.run_journal import RunJournal, digest_of, journal_beside
from handshift.report.findings_parts import FindingsParts
from handshift.report.findings_schema import PageRecord


@dataclass(frozen=True, slots=True)
class FinishedPage:
    """A page whose files are written: its record, and the name of its report."""

    record: PageRecord
    report: str | None


class FindingsJournal:
    """Finished pages of an examination, in the order of the files and their pages.

    Args:
        journal: Where they are appended.
        parts: Findings in Parquet. Once a part is written, the journal forgets its pages, so that it stays
            small for any number of them.
    """

    def __init__(self, journal: RunJournal, parts: FindingsParts | None = None) -> None:
        self._journal = journal
        self._parts = parts

    def earlier(self, source: Path) -> tuple[Sequence[FinishedPage], bool]:
        """The pages of a file that an earlier attempt has finished, and whether these are all."""
        in_parts = self._parts.finished if self._parts else {}
        key = (str(source), digest_of(source)) if in_parts else ("", "")
        if key in in_parts:
            return [FinishedPage(record, None) for record in in_parts[key]], True
        entries, ended = self._journal.earlier(source)
        if not self._parts:
            return entries.mapped(lambda entry: FinishedPage(**entry)), ended
        pages = [FinishedPage(**entry) for entry in entries]  # as many as a part holds, at most
        if pages or ended:
            digest = digest_of(source)
            for page in pages:
                self._parts.add(str(source), digest, page.record)
            if ended:
                self._end_in_parts()
        return pages, ended

    def add(self, finished: FinishedPage, source: Path, sha256: str | None) -> None:
        """Append a page whose files are written.

        Raises:
            WriteError: The page cannot be appended.
        """
        self._journal.add(asdict(finished), source, sha256)
        if self._parts:
            self._parts.add(str(source), sha256 or digest_of(source), finished.record)

    def end_file(self, source: Path, sha256: str | None) -> None:
        """Append that all pages of a file are done."""
        self._journal.end_file(source, sha256)
        self._end_in_parts()

    def finish(self) -> None:
        """Remove the journal: the run is complete."""
        if self._parts:
            self._parts.flush()
        self._journal.finish()

    def _end_in_parts(self) -> None:
        """Start the journal anew if a part now holds its pages."""
        if self._parts and self._parts.end_file():
            self._journal.forget()


@contextmanager
def findings_journal(
    json_file: Path | None,
    report: Path | None,
    settings: Mapping[str, Any],
    *,
    resume: bool,
    parquet: str | None = None,
) -> Iterator[FindingsJournal | None]:
    """As `journal_beside`, for a JSON file, a folder of reports and findings in Parquet.

    Args:
        json_file: Where the findings go.
        report: The folder of the reports.
        settings: Everything the results depend on.
        resume: Whether to continue an unfinished run.
        parquet: Folder or URL of the findings in Parquet; the journal of a URL lies in the user's cache.

    Yields:
        The journal; None for a run that writes neither JSON nor reports nor Parquet.
    """
    if parquet is not None:
        digest = hashlib.sha256(parquet.encode()).hexdigest()[:16]
        report = cache_folder("runs") / digest if is_url(parquet) else Path(parquet)
    with journal_beside(json_file, report, settings, resume=resume) as journal:
        if journal is None:
            yield None
            return
        parts = FindingsParts(open_folder(parquet), settings, resume=resume) if parquet else None
        yield FindingsJournal(journal, parts)
