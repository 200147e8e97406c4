"""A PostgreSQL server that the tests start and stop, run as an unprivileged user: initdb refuses root."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
INITDB = str(FOUND[-1]) if FOUND else shutil.which("initdb")


@contextmanager
def postgres_server() -> Iterator[str]:
    """URL of a new database on loopback; the test is skipped where no server can be started."""
    # Not below pytest's folder: as root the server runs as another user, who may not look into that one.
    with tempfile.TemporaryDirectory(prefix="handshift-postgres-") as folder:
        yield from _served(Path(folder))


def _served(folder: Path) -> Iterator[str]:
    pytest.importorskip("psycopg", reason="the extra postgres brings psycopg")
    if INITDB is None:
        pytest.skip("needs a PostgreSQL server: apt-get install postgresql")
    programs = Path(INITDB).parent
    user = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.geteuid() == 0 else []
    if user:
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
