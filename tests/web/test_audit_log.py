from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from handshift.web import audit_log
from handshift.web.database import Database


@pytest.fixture
def lines(tmp_path: Path) -> list[dict[str, Any]]:
    database = Database(f"sqlite:///{tmp_path / 'log.sqlite3'}")
    for number in range(5):
        with database.write() as session:
            audit_log.append(session, "case.changed", {"notes": f"note {number}, 필적"}, 1, "Kim")
    with database.read() as session:
        found = audit_log.records(session)
    database.close()
    return found


def test_an_untouched_log_is_intact(lines: list[dict[str, Any]]) -> None:
    assert audit_log.verify(lines) == 5


@pytest.mark.parametrize("field", ["at", "examiner", "action", "details", "case_id", "previous", "hash"])
def test_a_changed_field_breaks_the_chain(lines: list[dict[str, Any]], field: str) -> None:
    lines[2] = lines[2] | {field: {"notes": "other"} if field == "details" else "other"}
    with pytest.raises(audit_log.LogError, match=r"line [34]"):
        audit_log.verify(lines)


def test_a_removed_an_added_and_a_moved_line_break_the_chain(lines: list[dict[str, Any]]) -> None:
    for broken in (lines[:2] + lines[3:], lines[1:], [*lines[:3], lines[2], *lines[3:]], lines[::-1]):
        with pytest.raises(audit_log.LogError, match="missing or moved"):
            audit_log.verify(broken)


def test_a_forged_line_with_a_fitting_hash_breaks_the_next(lines: list[dict[str, Any]]) -> None:
    forged = lines[1] | {"examiner": "Lee"}
    lines[1] = forged | {"hash": audit_log.line_hash(forged)}
    with pytest.raises(audit_log.LogError, match="line 3"):
        audit_log.verify(lines)


def test_an_exported_log_is_read_back_and_verified(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(audit_log.export_lines(lines), encoding="utf-8")
    assert audit_log.verify(audit_log.read_lines(path)) == 5


@pytest.mark.parametrize("content", ["no json", "[1, 2]", '{"id": 1}\n{'])
def test_a_file_that_is_no_log_is_a_clear_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(audit_log.LogError):
        audit_log.verify(audit_log.read_lines(path))


def test_a_transaction_that_fails_leaves_no_line(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'log.sqlite3'}")
    with pytest.raises(ZeroDivisionError), database.write() as session:
        audit_log.append(session, "case.opened", {})
        raise ZeroDivisionError
    with database.read() as session:
        assert audit_log.records(session) == []
    database.close()


def test_the_command_tells_an_intact_log_from_a_broken_one(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    from typer.testing import CliRunner

    from handshift.cli.log import app

    path = tmp_path / "log.jsonl"
    path.write_text(audit_log.export_lines(lines), encoding="utf-8")
    intact = CliRunner().invoke(app, ["verify", str(path), "--last", lines[-1]["hash"]])
    assert intact.exit_code == 0 and "intact, 5 lines" in intact.output
    path.write_text(audit_log.export_lines(lines[:4]), encoding="utf-8")
    assert CliRunner().invoke(app, ["verify", str(path)]).exit_code == 0  # a shorter log is a log
    shortened = CliRunner().invoke(app, ["verify", str(path), "--last", lines[-1]["hash"]])
    assert shortened.exit_code == 1 and "missing" in shortened.output
