"""`ArchiveStore`: page entries in Parquet segments, with deletions and updates.

A segment is written in one step when `SEGMENT_PAGES` entries have come together, so that a process killed at
any moment leaves a store that is whole and lacks at most that many pages. Removed pages are listed in
``removed.json`` and leave the segments when the store is compacted.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from handshift.core.cache_folder import cache_folder
from handshift.core.errors import HandshiftError
from handshift.core.file_folder import FileFolder, is_url, open_folder
from handshift.core.pyarrow import pyarrow_modules, read_table
from handshift.store.page_entry import PageEntry, schema

VERSION = 3
"""Of the files; since 2 they hold the size of the writing, since 3 the paths of removed pages."""
ABOUT, REMOVED = "store.json", "removed.json"
SEGMENT_PAGES = 64
"""Half a minute of work of one core."""
COMPACTED_PAGES = 4096
"""Of a segment after compaction: 30 MB with thumbnails."""
ROW_GROUP = 32
"""Pages that are read to show one of them: 0.3 MB with thumbnails."""
_SEGMENT = re.compile(r"segment-([0-9]{6,})\.parquet")

Identity = tuple[str, int, str]
"""SHA-256, page and path: a copy under another name stays when one is removed."""
Place = tuple[str, int]
"""Segment and row of an entry."""


class StoreError(HandshiftError):
    """A store that is missing, damaged or of another model."""


def local_place(store: Path | str) -> Path:
    """Where the index of a store lies, and its lock: in its folder, or in the user's cache for a URL."""
    if is_url(store):
        return cache_folder("stores") / hashlib.sha256(str(store).rstrip("/").encode()).hexdigest()[:16]
    return Path(store)


@dataclass(slots=True)
class ArchiveStore:
    """An open store; one process at a time may write it.

    Use `create` or `open`.
    """

    folder: Path | str
    """Path, or URL of fsspec."""
    model: str
    """Name of the model that made the vectors."""
    fingerprint: str
    """Of that model; vectors of two models cannot be compared."""
    dimensions: int
    _files: FileFolder
    _waiting: list[PageEntry] = field(default_factory=list)
    _removed: set[Identity] = field(default_factory=set)

    @classmethod
    def create(cls, folder: Path | str, model: str, fingerprint: str, dimensions: int) -> ArchiveStore:
        """Open the store in a folder, or make one there.

        Raises:
            StoreError: The folder holds a store of another model.
        """
        files = open_folder(folder)
        if ABOUT in files.names():
            store = cls.open(folder)
            store.check(fingerprint)
            return store
        about = {"handshift": "store", "version": VERSION, "model": model, "fingerprint": fingerprint}
        files.write(ABOUT, (json.dumps({**about, "dimensions": dimensions}, indent=1) + "\n").encode())
        return cls(folder, model, fingerprint, dimensions, files)

    @classmethod
    def open(cls, folder: Path | str) -> ArchiveStore:
        """Open a store for reading.

        Raises:
            StoreError: There is no store, or it is damaged.
        """
        files = open_folder(folder)
        names = files.names()
        if ABOUT not in names:
            raise StoreError(
                f"{folder}: no store here; make one with `handshift index CORPUS --store {folder}`"
            )
        try:
            about = json.loads(files.read(ABOUT))
            if about["version"] != VERSION:
                raise StoreError(
                    f"{folder}: a store of another version of handshift; index the pages again into another"
                )
            made = str(about["model"]), str(about["fingerprint"]), int(about["dimensions"])
            store = cls(folder, *made, files)
            if REMOVED in names:
                pages = json.loads(files.read(REMOVED))["pages"]
                store._removed = {(str(sha256), int(page), str(file)) for sha256, page, file in pages}
        except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise StoreError(f"{folder}: not a store, or damaged ({error})") from error
        return store

    def check(self, fingerprint: str) -> None:
        """Refuse a store of another model.

        Raises:
            StoreError: It was made by another model.
        """
        if fingerprint != self.fingerprint:
            raise StoreError(
                f"{self.folder}: made with another model, {self.model!r}; give that one with --model, "
                "or index the pages again into another store"
            )

    @property
    def segments(self) -> list[str]:
        """Names of the segments, oldest first."""
        return [name for name in self._files.names() if _SEGMENT.fullmatch(name)]

    @property
    def version(self) -> str:
        """Changes with every change of the store's content."""
        return json.dumps([self.segments, sorted(self._removed)])

    def entries(self, columns: Sequence[str] | None = None) -> Iterator[tuple[Place, PageEntry]]:
        """Yield every entry that was not removed, with its place; only some columns where that is enough."""
        for name in self.segments:
            for row, entry in enumerate(self._read(name, columns)):
                if entry.identity not in self._removed:
                    yield (name, row), entry

    def at(self, places: Sequence[Place]) -> list[PageEntry]:
        """The entries at some places, thumbnails included."""
        _, parquet = pyarrow_modules("reading a store")
        found: dict[Place, PageEntry] = {}
        for name in {name for name, _ in places}:
            rows = sorted({row for segment, row in places if segment == name})
            found |= {
                (name, row): entry for row, entry in zip(rows, self._rows(parquet, name, rows), strict=True)
            }
        return [found[place] for place in places]

    def add(self, entry: PageEntry) -> None:
        """Add one entry; it is on disk once its segment is written, by `flush` at the latest."""
        if entry.identity in self._removed:  # it was removed before and is wanted again
            self.compact()
        self._waiting.append(entry)

    def end_file(self) -> None:
        """Write a segment if enough entries have come together: a file's pages stay in one segment."""
        if len(self._waiting) >= SEGMENT_PAGES:
            self.flush()

    def flush(self) -> None:
        """Write what has come together."""
        if self._waiting:
            self._write(self._waiting, self._next_name())
            self._waiting = []

    def remove(self, pages: Iterable[Identity]) -> int:
        """Remove pages; returns how many are removed in all."""
        self._removed |= set(pages)
        removed = {"pages": sorted(self._removed)}
        self._files.write(REMOVED, (json.dumps(removed) + "\n").encode())
        return len(self._removed)

    def compact(self) -> None:
        """Write all entries that are left into few segments, without those removed.

        New segments are complete before the old ones go. A process killed between the two leaves entries
        twice, which the next compaction puts right and every reader of `unique_entries` passes over.
        """
        old = self.segments
        kept: list[PageEntry] = []
        seen: set[Identity] = set()
        for _, entry in self.entries():
            if entry.identity in seen:
                continue
            seen.add(entry.identity)
            kept.append(entry)
            if len(kept) == COMPACTED_PAGES:
                self._write(kept, self._next_name())
                kept = []
        if kept:
            self._write(kept, self._next_name())
        for name in old:
            self._files.remove(name)
        self._removed = set()
        self._files.remove(REMOVED)

    def files(self) -> dict[str, str]:
        """SHA-256 of every indexed file, by its path."""
        return {entry.file: entry.sha256 for _, entry in self.entries(("file", "sha256", "page"))}

    def pages_of(self, files: Collection[str]) -> set[Identity]:
        """Every page of these files, which are named by path or by origin."""
        wanted = set(files)
        pages = self.entries(("file", "sha256", "page", "origin"))
        return {entry.identity for _, entry in pages if {entry.file, entry.origin} & wanted}

    def _next_name(self) -> str:
        last = self.segments[-1:]
        found = _SEGMENT.fullmatch(last[0]) if last else None
        return f"segment-{int(found[1]) + 1 if found else 0:06d}.parquet"

    def _write(self, entries: Sequence[PageEntry], name: str) -> None:
        arrow, parquet = pyarrow_modules("writing a store")
        rows = [entry.row() for entry in entries]
        content = io.BytesIO()
        table = arrow.Table.from_pylist(rows, schema=schema(arrow, self.dimensions))
        parquet.write_table(table, content, compression="zstd", row_group_size=ROW_GROUP)
        self._files.write(name, content.getvalue())

    def _rows(self, parquet: Any, name: str, rows: Sequence[int]) -> list[PageEntry]:
        """Some rows of a segment, of which only their row groups are read."""
        found: list[PageEntry] = []
        try:
            with self._files.open(name) as content, parquet.ParquetFile(content) as file:
                sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
                ends = list(accumulate(sizes))
                groups = [bisect_right(ends, row) for row in rows]
                for group in dict.fromkeys(groups):
                    at = [
                        row - ends[group] + sizes[group]
                        for row, of in zip(rows, groups, strict=True)
                        if of == group
                    ]
                    table = file.read_row_group(group, use_threads=False).take(at)
                    found += map(PageEntry.from_row, table.to_pylist())
        except Exception as error:  # pyarrow's errors have no common class, and any value may be damaged
            raise self._damaged(name, error) from error
        return found

    def _read(self, name: str, columns: Sequence[str] | None) -> list[PageEntry]:
        """The entries of a segment."""
        try:
            with self._files.open(name) as content:
                table = read_table(content, list(columns) if columns else None)
            return [PageEntry.from_row(values) for values in table.to_pylist()]
        except Exception as error:  # likewise
            raise self._damaged(name, error) from error

    def _damaged(self, name: str, error: Exception) -> StoreError:
        return StoreError(f"{self.folder}/{name}: damaged ({error}); index the pages again")
