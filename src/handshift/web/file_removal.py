"""Files whose last exhibit, page or recording was deleted leave the store with it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from handshift.web.file_store import FileStore
from handshift.web.tables import Exhibit, ExhibitPage, MachineFile

_NAMED_BY = (Exhibit.sha256, ExhibitPage.image, MachineFile.sha256)


def files_of(exhibits: Iterable[Exhibit]) -> set[str]:
    """Digests of the exhibits' files and of the pictures of their pages."""
    return {
        digest for one in exhibits for digest in (one.sha256, *(page.image for page in one.pages)) if digest
    }


def remove_unnamed(session: Session, files: FileStore, digests: set[str]) -> int:
    """Remove those of the files that no row names any more.

    Called within the transaction that deletes the rows: files are added within transactions as well, and
    those take turns, so that no file is removed while another case adds it.

    Args:
        session: The transaction.
        files: The store.
        digests: Of files that may be removed.

    Returns:
        How many were removed.
    """
    session.flush()
    named = {
        digest
        for column in _NAMED_BY
        for digest in session.scalars(select(column).where(column.in_(digests)))
    }
    return sum(files.remove(digest) for digest in digests - named)
