"""Where the server keeps its data and who may reach it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from handshift.core.errors import HandshiftError

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
MAX_UPLOAD_BYTES = 512 << 20
"""Of one file; larger scans are examined by `handshift examine`."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Everything that decides how the server runs.

    Args:
        folder: Files, database and derived images are kept below it.
        database: SQLAlchemy URL; a SQLite file in `folder` when empty.
        host: Address to listen on; anything but loopback requires a token.
        port: Port to listen on.
        token: Secret that every request must carry; none on loopback unless wanted.
        model: Id or folder of the model; the default model when None.
        max_upload: Largest file that is accepted, in bytes.
    """

    folder: Path
    database: str = ""
    host: str = "127.0.0.1"
    port: int = 8321
    token: str | None = field(default=None, repr=False)
    model: str | None = None
    max_upload: int = MAX_UPLOAD_BYTES

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK and not self.token:
            raise HandshiftError(
                f"--host {self.host} can be reached by others: give a secret with --token as well"
            )

    @property
    def database_url(self) -> str:
        """The URL in use."""
        return self.database or f"sqlite:///{self.folder / 'workbench.sqlite3'}"

    @property
    def hosts(self) -> frozenset[str]:
        """Values of the Host header that are answered: a page that rebinds its name to us is not."""
        names = LOOPBACK | {self.host} if self.host not in {"0.0.0.0", "::"} else LOOPBACK
        return frozenset(f"[{name}]" if ":" in name else name for name in names)


def default_folder() -> Path:
    """The user's data folder, as the operating system has it."""
    if given := os.environ.get("HANDSHIFT_WORKBENCH"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "handshift"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "handshift"
    return Path(os.environ.get("XDG_DATA_HOME", str(Path.home() / ".local" / "share"))) / "handshift"
