"""The same database code on PostgreSQL, on a server that the test starts and stops."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handshift.web import audit_log
from handshift.web.database import Database
from handshift.web.tables import Case, Exhibit, ExhibitPage, Job

pytest.importorskip("psycopg", reason="the extra postgres brings psycopg")
FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
INITDB = str(FOUND[-1]) if FOUND else shutil.which("initdb")
pytestmark = pytest.mark.skipif(
    INITDB is None, reason="needs a PostgreSQL server: apt-get install postgresql"
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A new cluster on loopback, run as an unprivileged user: initdb refuses root."""
    assert INITDB is not None
    programs, folder = Path(INITDB).parent, tmp_path_factory.mktemp("postgres")
    user = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.geteuid() == 0 else []
    if user:
        for place in (folder, *folder.parents[:2]):
            place.chmod(0o755)
        shutil.chown(folder, "nobody")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = folder / "cluster"
    made = subprocess.run(
        [*user, INITDB, "-D", str(cluster), "-U", "handshift", "-A", "trust", "-E", "UTF8"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"initdb does not work here: {made.stderr.strip()[-200:]}")
    options = ["-p", str(port), "-h", "127.0.0.1", "-k", "", "-c", "fsync=off"]
    server = subprocess.Popen([*user, str(programs / "postgres"), "-D", str(cluster), *options], cwd=folder)
    try:
        for _ in range(150):
            ready = subprocess.run(
                [str(programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(port)],
                capture_output=True,
                check=False,
            )
            if ready.returncode == 0:
                break
            time.sleep(0.2)
        yield f"postgresql+psycopg://handshift@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(30)


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
