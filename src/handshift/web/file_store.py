"""Files by the SHA-256 of their content: stored once, never changed, removed when nothing names it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileStore:
    """A folder of files named by their digests.

    Args:
        folder: Where the files lie, two levels deep.
    """

    folder: Path

    def add(self, content: bytes) -> str:
        """Store bytes.

        Args:
            content: The file's content.

        Returns:
            Its SHA-256, by which `path` finds it again.
        """
        digest = hashlib.sha256(content).hexdigest()
        path = self._place(digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, content)
        return digest

    def path(self, digest: str) -> Path:
        """Where a file lies.

        Raises:
            HandshiftError: No such file, or no digest.
        """
        path = self._place(digest)
        if not path.is_file():
            raise HandshiftError(f"no file with SHA-256 {digest} is stored")
        return path

    def remove(self, digest: str) -> bool:
        """Remove a file; whether it was there."""
        path = self._place(digest)
        there = path.is_file()
        path.unlink(missing_ok=True)
        return there

    def _place(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise HandshiftError("a SHA-256 has 64 hexadecimal digits")
        return self.folder / digest[:2] / digest
