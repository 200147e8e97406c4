"""What a database holds, counted."""

from __future__ import annotations

from collections import Counter

from handshift.corpus.databases.record import Database

COLUMNS = (
    "database",
    "family",
    "script",
    "holds",
    "writers",
    "two sheets",
    "two sessions",
    "sheets",
    "files",
    "licence",
)
Row = tuple[str, str, str, str, int, int, int, int, int, str]


def inventory(database: Database) -> list[Row]:
    """Count a database, one row for each script and kind of file.

    Args:
        database: The records.

    Returns:
        Rows under `COLUMNS`: writers, those of them with two sheets or more and with two sessions or more,
        sheets, and files or drawn pages.
    """
    rows = []
    for script, holds in sorted({(record.script, record.holds) for record in database.records}):
        own = [r for r in database.records if (r.script, r.holds) == (script, holds)]
        writers = {record.writer for record in own}
        sheets = {(record.writer, record.page) for record in own}
        sessions = {(record.writer, record.session) for record in own}
        rows.append(
            (
                database.name,
                database.family,
                script.value,
                holds.value,
                len(writers),
                _several(sheets),
                _several(sessions),
                len(sheets),
                len(own),
                database.licence,
            )
        )
    return rows


def _several(pairs: set[tuple[str, str]] | set[tuple[str, int]]) -> int:
    """How many writers stand in two pairs or more."""
    return sum(count > 1 for count in Counter(writer for writer, _ in pairs).values())
