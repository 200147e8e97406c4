"""A run of `handshift index`: removals, then new and changed files, then compaction."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import typer

from handshift.cli.engine_options import EngineChoice
from handshift.cli.exits import Exit
from handshift.cli.verdict_output import console
from handshift.core.counted import counted
from handshift.core.errors import HandshiftError
from handshift.core.folder_lock import locked
from handshift.core.terminal_text import one_line
from handshift.page.find_scans import find_scans
from handshift.store.archive_store import ArchiveStore, local_place
from handshift.store.index_archive import index_archive, index_vectors, remove_pages
from handshift.store.index_pages import is_vector_folder
from handshift.store.page_entry import PageEntry


def run_index(
    corpus: Sequence[str],
    folder: Path | str,
    remove: Sequence[str],
    compact: bool,
    model: str | None,
    engine: EngineChoice | None,
    dpi: float | None = None,
) -> Exit:
    """Bring a store up to date and print what was done.

    Raises:
        HandshiftError: There is nothing to do, or the store cannot be used.
    """
    if not (corpus or remove or compact):
        raise HandshiftError("nothing to index; name a corpus, or give --remove or --compact")
    if remove:
        removed = remove_pages(remove, folder)
        typer.echo(f"{folder}: {counted(removed, 'page')} removed")
        if not removed:
            raise HandshiftError(f"{folder}: no page was indexed as {', '.join(remove)}")
    code = Exit.ALL_EXAMINED
    vectors = [path for path in corpus if is_vector_folder(Path(path))]
    for path in vectors:
        typer.echo(index_vectors(Path(path), folder, model))
    if scans := [path for path in corpus if path not in vectors]:
        code = _index_scans(scans, folder, model, engine, dpi)
    if compact:
        with locked(local_place(folder)):
            ArchiveStore.open(folder).compact()
        typer.echo(f"{folder}: compacted")
    return code


def _index_scans(
    paths: Sequence[str],
    folder: Path | str,
    model: str | None,
    engine: EngineChoice | None,
    dpi: float | None,
) -> Exit:
    found = find_scans(paths)
    errors = console(error=True)
    for error in found.errors:
        errors.print(str(error), style="red", markup=False, soft_wrap=True)
    if not found.scans:
        return Exit.NONE_EXAMINED

    def failed(entry: PageEntry) -> None:
        line = f"not indexed: {one_line(entry.file)} p.{entry.page}: {one_line(entry.error or '')}"
        errors.print(line, style="red", markup=False, soft_wrap=True)

    with ExitStack() as stack:
        on_file: Callable[[Path], None] = lambda path: None  # noqa: E731
        if sys.stderr.isatty():
            from rich.progress import Progress

            bar = stack.enter_context(Progress(console=errors, transient=True))
            task = bar.add_task("Indexing", total=len(found.scans))
            on_file = lambda path: bar.advance(task)  # noqa: E731
        done = index_archive(
            found.scans,
            folder,
            model,
            engine=engine.start() if engine else None,
            dpi=dpi,
            on_file=on_file,
            on_failure=failed,
        )
    typer.echo(done)
    if done.pages and done.failed == done.pages:
        return Exit.NONE_EXAMINED
    return Exit.SOME_FAILED if done.failed or found.errors else Exit.ALL_EXAMINED
