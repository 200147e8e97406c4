"""The same database code on PostgreSQL, on a server that the test starts and stops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from postgres_server import postgres_server

from handshift.web import audit_log
from handshift.web.database import Database
from handshift.web.tables import Case, Exhibit, ExhibitPage, Job


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A new cluster on loopback."""
    with postgres_server() as address:
        yield address


def test_the_schema_is_made_and_used_on_postgresql(url: str) -> None:
    database = Database(url)
    with database.write() as session:
        case = Case(name="유언장")
        session.add(case)
        session.flush()
        case.exhibits.append(Exhibit(case_id=case.id, number="E1", name="a.png", sha256="0" * 64))
        session.flush()
        session.add(ExhibitPage(exhibit_id=case.exhibits[0].id, number=0, computed={"log10_lr": 1.5}))
        session.add(Job(case_id=case.id, kind="examine", arguments={"exhibit": case.exhibits[0].id}))
        audit_log.append(session, "case.opened", {"name": case.name}, case.id, "김")
    with database.write() as session:
        audit_log.append(session, "case.changed", {"notes": "é"}, case.id)
    with database.read() as session:
        kept = session.get(Case, case.id)
        assert kept is not None and kept.name == "유언장"
        assert kept.exhibits[0].pages[0].computed == {"log10_lr": 1.5}
        assert audit_log.verify(audit_log.records(session)) == 2
    database.close()
    again = Database(url)  # an existing schema is left as it is
    again.close()


def test_deleting_a_case_deletes_all_that_hangs_on_it(url: str) -> None:
    database = Database(url)
    with database.write() as session:
        case = Case(name="to be deleted")
        session.add(case)
        session.flush()
        session.add(Exhibit(case_id=case.id, number="E1", name="a.png", sha256="1" * 64))
    with database.write() as session:
        session.delete(session.get_one(Case, case.id))
    with database.read() as session:
        assert session.query(Exhibit).filter_by(case_id=case.id).count() == 0
    database.close()
