"""What all routes share: the workbench, who asks, and rows that must exist."""

from __future__ import annotations

from typing import Annotated, TypeVar
from urllib.parse import unquote

from fastapi import Depends, Header, HTTPException, Path, Request
from sqlalchemy.orm import Session

from handshift.web.tables import Base
from handshift.web.workbench import Workbench

Row = TypeVar("Row", bound=Base)
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]
ERRORS: dict[int | str, dict[str, str]] = {
    400: {"description": "The request cannot be carried out; `detail` says why"},
    401: {"description": "The token is missing or wrong"},
    403: {"description": "The request comes from another site"},
    404: {"description": "There is no such thing"},
    413: {"description": "The upload is too large"},
    421: {"description": "The server does not answer to this host name"},
}


def _workbench(request: Request) -> Workbench:
    bench: Workbench = request.app.state.workbench
    return bench


def _examiner(x_examiner: Annotated[str, Header(max_length=600)] = "") -> str:
    """Who asks, percent-encoded UTF-8, as given in the page; the log records it, nothing depends on it."""
    name = "".join(letter for letter in unquote(x_examiner) if letter.isprintable())
    return name.strip()[:120]


Bench = Annotated[Workbench, Depends(_workbench)]
Examiner = Annotated[str, Depends(_examiner)]


def require(session: Session, table: type[Row], key: int) -> Row:
    """The row, or 404."""
    row = session.get(table, key)
    if row is None:
        raise HTTPException(404, f"there is no {table.__name__.lower()} {key}")
    return row
