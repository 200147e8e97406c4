"""The gallery: people by their known writing."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path

from handshift.embedding.gallery import TABLE, Gallery
from handshift.pipeline.identifier import remove
from handshift.web import audit_log
from handshift.web.requests import EnrollRequest
from handshift.web.routes.request_context import ERRORS, Bench, Examiner, Id, require
from handshift.web.tables import Exhibit

router = APIRouter(prefix="/api", tags=["gallery"], responses=ERRORS)


@router.get("/gallery")
def list_people(bench: Bench) -> list[dict[str, Any]]:
    """Who is enrolled, and with how many pages."""
    if not (bench.gallery / TABLE).is_file():
        return []
    pages = Counter(entry.name for entry in Gallery.load(bench.gallery).entries)
    return [{"name": name, "pages": count} for name, count in sorted(pages.items())]


@router.post("/gallery", status_code=201)
def enroll(wanted: EnrollRequest, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Enrol a person with exhibits that show their known writing."""
    with bench.database.read() as session:
        exhibits = [require(session, Exhibit, exhibit_id) for exhibit_id in wanted.exhibits]
        paths = [str(bench.files.path(exhibit.sha256)) for exhibit in exhibits]
        digests, case_id = [exhibit.sha256 for exhibit in exhibits], exhibits[0].case_id
    found: dict[str, Any] = bench.desk.call("people.enroll", wanted.name, paths, str(bench.gallery))
    with bench.database.write() as session:
        details = {"name": wanted.name, "sha256": digests, "new_pages": found["new"]}
        audit_log.append(session, "gallery.enrolled", details, case_id, examiner)
    return found


@router.delete("/gallery/{name}", status_code=204)
def forget(name: Annotated[str, Path(max_length=200)], bench: Bench, examiner: Examiner) -> None:
    """Remove a person."""
    if name not in {person["name"] for person in list_people(bench)}:
        raise HTTPException(404, "nobody of this name is enrolled")
    remove([name], bench.gallery)
    with bench.database.write() as session:
        audit_log.append(session, "gallery.removed", {"name": name}, None, examiner)


@router.post("/exhibits/{exhibit_id}/identify")
def identify(exhibit_id: Id, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Rank the enrolled by how well their hands explain an exhibit."""
    if not list_people(bench):
        raise HTTPException(400, "nobody is enrolled yet")
    with bench.database.read() as session:
        exhibit = require(session, Exhibit, exhibit_id)
        path, number, case_id = str(bench.files.path(exhibit.sha256)), exhibit.number, exhibit.case_id
    found: dict[str, Any] = bench.desk.call("people.identify", [path], str(bench.gallery))
    with bench.database.write() as session:
        details = {"exhibit": number, "accepted": found["accepted"], "enrolled": found["enrolled"]}
        audit_log.append(session, "exhibit.identified", details, case_id, examiner)
    return found
