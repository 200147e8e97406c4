"""Brings a store up to date with a corpus: new and changed files are indexed, the others are left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from handshift.core.counted import counted
from handshift.core.folder_lock import locked
from handshift.engine.engine import Engine
from handshift.engine.local_processes import LocalProcesses
from handshift.models.shipped_models import find_model
from handshift.pipeline.comparer import Comparer
from handshift.pipeline.examine_files import FilePart, file_parts
from handshift.store.archive_store import ArchiveStore, local_place
from handshift.store.hand_index import HandIndex
from handshift.store.index_pages import IndexWork, vector_entries
from handshift.store.page_entry import PageEntry


@dataclass(slots=True)
class IndexedArchive:
    """What came of bringing a store up to date."""

    store: Path | str
    pages: int = 0
    """Indexed now."""
    failed: int = 0
    """Of these, pages without a vector."""
    unchanged: int = 0
    """Files that were in the store already."""
    removed: int = 0
    """Pages taken out: files that changed, or were named."""

    def __str__(self) -> str:
        parts = [f"{counted(self.pages - self.failed, 'page')} indexed"]
        parts += [f"{counted(self.failed, 'page')} without a vector"] if self.failed else []
        parts += [f"{counted(self.unchanged, 'file')} unchanged"] if self.unchanged else []
        parts += [f"{counted(self.removed, 'page')} removed"] if self.removed else []
        return f"{self.store}: {', '.join(parts)}"


def index_archive(
    scans: Iterable[Path],
    folder: Path | str,
    model: str | None = None,
    *,
    engine: Engine | None = None,
    dpi: float | None = None,
    on_file: Callable[[Path], None] = lambda path: None,
    on_failure: Callable[[PageEntry], None] = lambda entry: None,
) -> IndexedArchive:
    """Index scans into the store in `folder`.

    The index for searching is built at the end. Killed at any moment and called again, it ends with the same
    store as if it had not been.

    Args:
        scans: Files of pages.
        folder: The store, a path or a URL of fsspec; made if it is not there.
        model: Id of a shipped model or a model's folder; the default model without it.
        engine: Where pages are embedded; processes of this machine if None.
        dpi: Resolution of the scans, where their files do not say it or are wrong.
        on_file: Called with each file that is finished or unchanged.
        on_failure: Called with each page that has no vector.

    Raises:
        StoreError: The folder holds a store of another model.
        FolderBusyError: Another process writes the store.
    """
    shipped = find_model(model)
    done = IndexedArchive(folder)
    with locked(local_place(folder)):
        dimensions = int(shipped.covariances().projection.shape[0])
        store = ArchiveStore.create(folder, shipped.card.id, shipped.fingerprint(), dimensions)
        known = store.files()

        def parts() -> Iterator[FilePart]:
            for path in scans:
                before = known.get(str(path))
                if before is not None and before == _sha256(path):
                    done.unchanged += 1
                    on_file(path)
                    continue
                if before is not None:
                    stale = store.pages_of([str(path)])
                    store.remove(stale)
                    done.removed += len(stale)
                yield from file_parts(path)

        for outcome in (engine or LocalProcesses()).map(IndexWork(model, dpi=dpi), parts()):
            part = outcome.item
            entries = outcome.result
            if entries is None:
                lost = part.lost(outcome.error or "")
                entries = [PageEntry(e.named, "", e.number + 1, error=e.problem) for e in lost]
            _add(store, entries, done, on_failure)
            if part.last:
                store.end_file()
                on_file(part.path)
        store.flush()
        HandIndex.of(store, Comparer(model).same_writer.plda)
    return done


def index_vectors(folder_of_vectors: Path, folder: Path | str, model: str | None = None) -> IndexedArchive:
    """Index the pages of a folder that `handshift embed` wrote; as `index_archive` otherwise."""
    shipped = find_model(model)
    done = IndexedArchive(folder)
    with locked(local_place(folder)):
        dimensions = int(shipped.covariances().projection.shape[0])
        store = ArchiveStore.create(folder, shipped.card.id, shipped.fingerprint(), dimensions)
        known = {entry.key for _, entry in store.entries(("file", "sha256", "page"))}
        for entry in vector_entries(folder_of_vectors, model, known):
            if entry is None:
                done.unchanged += 1
                continue
            _add(store, [entry], done, lambda _: None)
            store.end_file()
        store.flush()
        HandIndex.of(store, Comparer(model).same_writer.plda)
    return done


def remove_pages(files: Iterable[str], folder: Path | str) -> int:
    """Remove the pages of files, by the paths or origins under which they are listed; returns how many pages.

    Raises:
        StoreError: There is no store.
    """
    ArchiveStore.open(folder)  # before a lock makes its folder
    with locked(local_place(folder)):
        store = ArchiveStore.open(folder)
        pages = store.pages_of(list(files))
        if pages:
            store.remove(pages)
    return len(pages)


def _add(
    store: ArchiveStore,
    entries: Iterable[PageEntry],
    done: IndexedArchive,
    on_failure: Callable[[PageEntry], None],
) -> None:
    for entry in entries:
        store.add(entry)
        done.pages += 1
        if entry.error is not None:
            done.failed += 1
            on_failure(entry)


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
