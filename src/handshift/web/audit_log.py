"""The audit log: append-only lines, each with the hash of the line before.

hash_k = SHA-256(canonical JSON of line k without its hash, with hash_{k-1} in it). Whoever changes, removes
or reorders a line must compute every later hash anew, which an exported copy of the last hash shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_text
from handshift.web.tables import LogEntry

GENESIS = "0" * 64
_FIELDS = ("id", "case_id", "at", "examiner", "action", "details", "previous")


class LogError(HandshiftError):
    """The chain of a log is broken."""


def append(
    session: Session, action: str, details: Mapping[str, Any], case_id: int | None = None, examiner: str = ""
) -> LogEntry:
    """Add a line within the caller's transaction, so that what is logged and the log agree.

    Args:
        session: An open session; the caller commits.
        action: What was done, e.g. ``page.examined``.
        details: To what, with which result; JSON values.
        case_id: The case it belongs to.
        examiner: Who did it, as given in the page.

    Returns:
        The new line.
    """
    # The newest line is locked where the database can, so that two transactions don't extend the same hash.
    newest = session.scalars(select(LogEntry).order_by(LogEntry.id.desc()).limit(1).with_for_update()).first()
    entry = LogEntry(
        id=newest.id + 1 if newest else 1,
        case_id=case_id,
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        examiner=examiner,
        action=action,
        details=dict(details),
        previous=newest.hash if newest else GENESIS,
    )
    entry.hash = line_hash({name: getattr(entry, name) for name in _FIELDS})
    session.add(entry)
    session.flush()
    return entry


def line_hash(line: Mapping[str, Any]) -> str:
    """SHA-256 of a line's fields as canonical JSON (sorted keys, no spaces, UTF-8)."""
    content = {name: line[name] for name in _FIELDS}
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def records(session: Session, case_id: int | None = None) -> list[dict[str, Any]]:
    """The log as plain data, oldest first; of one case where asked."""
    query = select(LogEntry).order_by(LogEntry.id)
    if case_id is not None:
        query = query.where(LogEntry.case_id == case_id)
    return [{name: getattr(entry, name) for name in (*_FIELDS, "hash")} for entry in session.scalars(query)]


def verify(lines: Iterable[Mapping[str, Any]]) -> int:
    """Check the chain of a whole log.

    Args:
        lines: All lines, oldest first.

    Returns:
        How many there are.

    Raises:
        LogError: A line was changed, removed, added or moved; the message names the first.
    """
    previous, count = GENESIS, 0
    for count, line in enumerate(lines, 1):
        try:
            expected = line_hash(line)
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(f"line {count} of the log is incomplete ({error!r})") from error
        if line["id"] != count or line["previous"] != previous:
            raise LogError(
                f"line {count} of the log does not follow the one before: a line is missing or moved"
            )
        if line.get("hash") != expected:
            raise LogError(f"line {count} of the log was changed after it was written")
        previous = expected
    return count


def export_lines(lines: Iterable[Mapping[str, Any]]) -> str:
    """JSON lines, as `handshift log verify` reads them."""
    return "".join(json.dumps(dict(line), ensure_ascii=False, sort_keys=True) + "\n" for line in lines)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read an exported log.

    Raises:
        LogError: The file can't be read, or is no log.
    """
    try:
        lines = [json.loads(line) for line in read_text(path).splitlines() if line.strip()]
    except (LoadError, ValueError, RecursionError) as error:
        raise LogError(f"{path}: not an exported log ({error})") from error
    if not all(isinstance(line, dict) for line in lines):
        raise LogError(f"{path}: not an exported log (lines must be JSON objects)")
    return lines
