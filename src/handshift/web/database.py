"""The database: opened, migrated to the newest schema, and used by one transaction at a time for writing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from handshift.core.errors import HandshiftError


class Database:
    """Sessions of one database.

    Args:
        url: SQLAlchemy URL: ``sqlite:///file`` or ``postgresql+psycopg://…``.
    """

    def __init__(self, url: str) -> None:
        if url.startswith("sqlite:///"):
            Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
        try:
            self.engine = create_engine(url, pool_pre_ping=True)
            if self.engine.dialect.name == "sqlite":
                event.listen(self.engine, "connect", _set_pragmas)
            self._migrate(url)
        except (SQLAlchemyError, ImportError) as error:
            raise HandshiftError(
                f"the database {_without_password(self, url)} cannot be opened: {error}"
            ) from error
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._writing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that changes nothing."""
        with self._sessions() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction: committed at the end, rolled back on an error. Writers take turns."""
        with self._writing, self._sessions() as session, session.begin():
            yield session

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _migrate(self, url: str) -> None:
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
        with self.engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _set_pragmas(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _without_password(database: Database, url: str) -> str:
    engine: Engine | None = getattr(database, "engine", None)
    return (
        engine.url.render_as_string(hide_password=True)
        if engine is not None
        else url.partition("@")[2] or url
    )
