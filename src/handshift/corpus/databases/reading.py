"""From the folders of a database to its records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from handshift.core.errors import CorpusError
from handshift.corpus.databases.layouts import LAYOUTS, Folder, Layout, layout_named
from handshift.corpus.databases.record import Database, Holds, Record, Script
from handshift.corpus.manifest import inside, read_rows
from handshift.page.word import Box

MANIFEST = "manifest.csv"
FONT_PAGES = {
    Script.HANGUL: (Script.HANGUL,) * 5 + (Script.LATIN,) * 3,
    Script.LATIN: (Script.LATIN,) * 4,
}
"""Scripts of the pages drawn with each font of a database, every one with another pen and other words."""


def find_databases(root: Path) -> list[Database]:
    """Read every known database that has a folder under `root`.

    Args:
        root: Folder that holds the databases' folders.

    Returns:
        The databases found, in the order of `LAYOUTS`.

    Raises:
        CorpusError: A manifest is damaged or names a file that is not there.
    """
    present = [
        layout for layout in LAYOUTS if any((root / f.name / MANIFEST).is_file() for f in layout.folders)
    ]
    return [read_database(root, layout.name) for layout in present]


def read_database(root: Path, name: str) -> Database:
    """Read one database.

    Args:
        root: Folder that holds the databases' folders.
        name: Name of the database, as in `LAYOUTS`.

    Returns:
        Its records in the order of its manifests, those of absent folders left out.

    Raises:
        CorpusError: The database is unknown, has no folder, or its manifest is damaged.
    """
    try:
        layout = layout_named(name)
    except KeyError:
        known = ", ".join(layout.name for layout in LAYOUTS)
        raise CorpusError(f"no database is called {name!r}; known are {known}") from None
    records = [
        record
        for folder in layout.folders
        if (root / folder.name / MANIFEST).is_file()
        for record in _records(root / folder.name, layout, folder)
    ]
    if not records:
        raise CorpusError(f"{root}: no folder of the database {name!r} has a {MANIFEST}")
    return Database(layout.name, layout.family, layout.licence, tuple(records))


def _records(root: Path, layout: Layout, folder: Folder) -> Iterator[Record]:
    wanted = {"path", "writer", folder.sheet, folder.session, folder.pen} - {None}
    rows = read_rows(root / MANIFEST, sorted(str(column) for column in wanted))
    sessions = _session_numbers([row for _, row in rows], folder.session)
    for line, row in rows:
        try:
            path, box, index = inside(root, row["path"]), _box(row), int(row.get("index", 0))
        except (CorpusError, ValueError) as error:
            raise CorpusError(f"{root / MANIFEST}, line {line}: {error}") from error
        writer = f"{layout.name}/{row['writer']}"
        sheet = f"{writer}/{row[folder.sheet]}" if folder.sheet else f"{layout.name}/{row['path']}"
        session = sessions[row["writer"], row[folder.session]] if folder.session else 1
        pen = row.get(folder.pen) if folder.pen else None
        prompt = row.get(folder.prompt, "")
        one = Record(
            path,
            layout.name,
            layout.script,
            folder.holds,
            writer,
            session,
            sheet,
            prompt,
            pen,
            box,
            index,
            folder.dpi,
        )
        yield from _font_pages(one) if folder.holds is Holds.FONT else (one,)


def _session_numbers(rows: list[dict[str, str]], column: str | None) -> dict[tuple[str, str], int]:
    """Number each writer's sessions from 1, in the order of their names."""
    if column is None:
        return {}
    names: dict[str, set[str]] = {}
    for row in rows:
        names.setdefault(row["writer"], set()).add(row[column])
    return {
        (writer, name): number
        for writer, own in names.items()
        for number, name in enumerate(sorted(own), start=1)
    }


def _box(row: dict[str, str]) -> Box | None:
    return Box(*(int(row[name]) for name in "xywh")) if all(row.get(name) for name in "xywh") else None


def _font_pages(record: Record) -> Iterator[Record]:
    for index, script in enumerate(FONT_PAGES[record.script]):
        yield replace(record, script=script, page=f"{record.page}/{index}", index=index)
