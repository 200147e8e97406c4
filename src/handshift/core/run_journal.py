"""The journal of a run: each finished page is appended and synced, so that a killed run can be resumed.

One for all commands: what an entry holds is the command's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from handshift.core.atomic import WriteError, write_bytes
from handshift.core.errors import BlankPageError, NoWritingError, PageError
from handshift.core.folder_lock import locked_file
from handshift.core.stored_records import StoredRecords
from handshift.core.terminal_text import one_line

_PART = re.compile(r"\.(?P<name>.{1,40})\.[0-9a-f]{12}\.part")


Entry = dict[str, Any]
"""What a command keeps of a finished page, as JSON values."""
_Key = tuple[str, str]
"""Path and SHA-256 of a file."""


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
        self._offsets: dict[_Key, list[int]] = {}
        self._ended: set[_Key] = set()
        self._taken: set[_Key] = set()
        header = json.dumps({"journal": 2, "settings": settings}, sort_keys=True, ensure_ascii=False)
        self._header = f"{header}\n".encode()
        kept = self._read() if resume else 0
        if kept:
            self._cut_off(kept)
        else:
            write_bytes(path, self._header, private=True)
        self._empty = not self._offsets and not self._ended
        self._open()

    def earlier(self, source: Path) -> tuple[StoredRecords[Entry], bool]:
        """The pages of a file that an earlier attempt has finished, and whether these are all.

        A file whose content has changed since counts as new. Entries are read from the journal when they are
        asked for, and not after `forget` or `finish`.
        """
        known = bool(self._offsets or self._ended)
        key = (str(source), digest_of(source) if known else "")
        self._taken.add(key)
        places = self._offsets.get(key, [])
        return StoredRecords(self._reader, places, lambda line: dict(line["entry"])), key in self._ended

    def add(self, entry: Mapping[str, Any], source: Path, sha256: str | None) -> None:
        """Append a page whose files are written.

        Args:
            entry: What is kept of it.
            source: Its file.
            sha256: Of the file; computed where the page could not be read and so has none.

        Raises:
            WriteError: The page cannot be appended.
        """
        self._append({"file": str(source), "sha256": sha256 or digest_of(source), "entry": entry})

    def end_file(self, source: Path, sha256: str | None) -> None:
        """Append that all pages of a file are done."""
        self._append({"file": str(source), "sha256": sha256 or digest_of(source), "ended": True})

    def close(self) -> None:
        """Keep the journal for another attempt, if there is anything in it."""
        self._close()
        if self._empty:
            self.path.unlink(missing_ok=True)

    def finish(self) -> None:
        """Remove the journal: the run is complete."""
        self._close()
        self.path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Start anew: what the journal held is kept elsewhere, but for files not asked for yet."""
        waiting = {key: places for key, places in self._offsets.items() if key not in self._taken}
        lines = [self._line_at(place) for places in waiting.values() for place in places]
        ended = [key for key in self._ended if key not in self._taken]
        lines += [_line({"file": file, "sha256": sha256, "ended": True}) for file, sha256 in ended]
        self._close()
        write_bytes(self.path, b"".join([self._header, *lines]), private=True)
        self._offsets, self._ended, self._taken = {}, set(), set()
        self._read()
        self._open()

    def _open(self) -> None:
        self._file, self._reader = self.path.open("ab"), self.path.open("rb")

    def _close(self) -> None:
        self._file.close()
        self._reader.close()

    def _append(self, entry: Mapping[str, Any]) -> None:
        try:
            self._file.write(_line(entry))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._empty = False
        except OSError as error:
            raise WriteError(
                f"{one_line(self.path)}: cannot be written ({error.strerror}). Make room, then run it again."
            ) from error

    def _line_at(self, place: int) -> bytes:
        self._reader.seek(place)
        return self._reader.readline()

    def _cut_off(self, length: int) -> None:
        """Leave out what follows the last whole line."""
        try:
            os.truncate(self.path, length)
        except OSError as error:
            raise WriteError(f"{one_line(self.path)}: cannot be written ({error.strerror}).") from error

    def _read(self) -> int:
        """Note where the entries stand; how many bytes are worth keeping: up to the first damaged line."""
        try:
            file = self.path.open("rb")
        except OSError:
            return 0
        with file:
            if file.readline(len(self._header)) != self._header:
                return 0
            kept = len(self._header)
            for line in file:
                try:
                    entry = json.loads(line)
                    key = (str(entry["file"]), str(entry["sha256"]))
                    if not line.endswith(b"\n"):
                        break
                    if entry.get("ended"):
                        self._ended.add(key)
                    else:
                        dict(entry["entry"])
                        self._offsets.setdefault(key, []).append(kept)
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                    break
                kept += len(line)
        return kept


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True).encode("ascii") + b"\n"  # odd names hold what UTF-8 does not


_KINDS: dict[str, type[PageError]] = {"blank": BlankPageError, "no-writing": NoWritingError}


def error_entry(error: PageError) -> Entry:
    """A page without a result, as an entry."""
    kind = next((name for name, kind in _KINDS.items() if isinstance(error, kind)), "failed")
    about = {"kind": kind, "problem": error.problem, "number": error.number, "sha256": error.sha256}
    return about | {"path": str(error.path)}


def error_of(entry: Entry, source: Path) -> PageError:
    """Inverse of `error_entry`."""
    kind = _KINDS.get(entry["kind"], PageError)
    path = Path(entry.get("path", source))
    return kind(path, entry["problem"], number=entry["number"], sha256=entry["sha256"])


@contextmanager
def journal_beside(
    file: Path | None, folder: Path | None, settings: Mapping[str, Any], *, resume: bool
) -> Iterator[RunJournal | None]:
    """Lock the results of a run, sweep what a killed run left half-written, and open its journal.

    Args:
        file: Where the results go.
        folder: A folder of results; the journal lies there if there is no file.
        settings: Everything the results depend on.
        resume: Whether to continue an unfinished run.

    Yields:
        The journal; None for a run that writes nothing.

    Raises:
        FolderBusyError: Another run writes the same results.
    """
    if file is None and folder is None:
        yield None
        return
    path = file.with_name(f".{file.name}.journal") if file else Path(folder or ".", ".journal")
    made_folder = not path.parent.exists()
    try:
        with locked_file(path.with_name(f"{path.name}.lock")):
            if file:
                _sweep(file.parent, file.name)
            if folder:
                _sweep(folder)
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


def digest_of(path: Path) -> str:
    """SHA-256 of a file, or of the names and contents below a folder; empty where neither can be read."""
    try:
        if path.is_dir():
            files = sorted(one for one in path.rglob("*") if one.is_file())
            listing = "".join(f"{one.relative_to(path)}\0{digest_of(one)}\n" for one in files)
            return hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError, RecursionError):
        return ""
