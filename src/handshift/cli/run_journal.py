"""The journal of a run: each finished page is appended and synced, so that a killed run can be resumed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from handshift.core.atomic import WriteError, write_text
from handshift.core.folder_lock import locked_file
from handshift.core.terminal_text import one_line
from handshift.report.findings_schema import PageRecord

_PART = re.compile(r"\.(?P<name>.{1,40})\.[0-9a-f]{12}\.part")


@dataclass(frozen=True, slots=True)
class FinishedPage:
    """A page of an earlier attempt: its record, and the name of its report."""

    record: PageRecord
    report: str | None


class RunJournal:
    """Finished pages of a run, in the order of the files and their pages.

    Args:
        path: The journal; removed by `finish`.
        settings: Everything the results depend on. A journal of other settings is started anew.
        resume: Whether to continue an unfinished journal.

    Raises:
        WriteError: The journal cannot be written.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool = True) -> None:
        self.path = path
        self._pages: dict[tuple[str, str], list[FinishedPage]] = {}
        self._ended: set[tuple[str, str]] = set()
        header = json.dumps({"journal": 1, "settings": settings}, sort_keys=True, ensure_ascii=False)
        lines = _complete_lines(path) if resume else []
        if lines[:1] != [header]:
            lines = [header]
        kept = [header, *self._read(lines[1:])]
        write_text(path, "".join(f"{line}\n" for line in kept), private=True)
        self._file = path.open("ab")

    def earlier(self, source: Path) -> tuple[list[FinishedPage], bool]:
        """The pages of a file that an earlier attempt has finished, and whether these are all.

        A file whose content has changed since counts as new.
        """
        if not self._pages and not self._ended:
            return [], False
        key = (str(source), _sha256(source))
        return self._pages.get(key, []), key in self._ended

    def add(self, record: PageRecord, report: str | None, source: Path, sha256: str | None) -> None:
        """Append a page whose files are written.

        Raises:
            WriteError: The page cannot be appended.
        """
        self._append({"file": str(source), "sha256": sha256 or "", "record": record, "report": report})

    def end_file(self, source: Path, sha256: str | None) -> None:
        """Append that all pages of a file are done."""
        self._append({"file": str(source), "sha256": sha256 or "", "ended": True})

    def close(self) -> None:
        """Keep the journal for another attempt."""
        self._file.close()

    def finish(self) -> None:
        """Remove the journal: the run is complete."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _append(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=True) + "\n"  # odd names hold what UTF-8 does not
        try:
            self._file.write(line.encode("ascii"))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise WriteError(
                f"{one_line(self.path)}: cannot be written ({error.strerror}). Make room, then run it again."
            ) from error

    def _read(self, lines: list[str]) -> Iterator[str]:
        """Take the entries in, and yield the lines worth keeping: up to the first that is damaged."""
        for line in lines:
            try:
                entry = json.loads(line)
                key = (str(entry["file"]), str(entry["sha256"]))
                if entry.get("ended"):
                    self._ended.add(key)
                else:
                    finished = FinishedPage(cast("PageRecord", entry["record"]), entry["report"])
                    self._pages.setdefault(key, []).append(finished)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                return
            yield line


@contextmanager
def journal_beside(
    json_file: Path | None, report: Path | None, settings: Mapping[str, Any], *, resume: bool
) -> Iterator[RunJournal | None]:
    """Lock the results of a run, sweep what a killed run left half-written, and open its journal.

    Args:
        json_file: Where the findings go.
        report: The folder of the reports; the journal lies there if there is no JSON.
        settings: Everything the results depend on.
        resume: Whether to continue an unfinished run.

    Yields:
        The journal; None for a run that writes neither JSON nor reports.

    Raises:
        FolderBusyError: Another run writes the same results.
    """
    if json_file is None and report is None:
        yield None
        return
    path = json_file.with_name(f".{json_file.name}.journal") if json_file else Path(report or ".", ".journal")
    made_folder = not path.parent.exists()
    try:
        with locked_file(path.with_name(f"{path.name}.lock")):
            if json_file:
                _sweep(json_file.parent, json_file.name)
            if report:
                _sweep(report)
            with closing(RunJournal(path, settings, resume=resume)) as journal:
                yield journal
    finally:
        if made_folder:
            with suppress(OSError):  # it holds results
                path.parent.rmdir()


def _sweep(folder: Path, name: str | None = None) -> None:
    """Remove half-written files: all of our own folder, or those of one name."""
    for part in folder.glob(".*.part"):
        found = _PART.fullmatch(part.name)
        if found and (name is None or found["name"] == name[:40]):
            part.unlink(missing_ok=True)


def _complete_lines(path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8", "replace").split("\n")[:-1]  # a torn last line is left out
    except OSError:
        return []


def _sha256(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""
