"""Cases and their exhibits."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, HTTPException, Query, UploadFile
from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.web import audit_log
from handshift.web.exports import summary_of
from handshift.web.file_removal import files_of, remove_unnamed
from handshift.web.reader_language import in_reader_language
from handshift.web.requests import CaseChange, ExhibitChange, NewCase
from handshift.web.routes.request_context import ERRORS, Bench, Examiner, Id, require
from handshift.web.tables import Case, Exhibit, ExhibitPage, Job
from handshift.web.uploads import plain_file_name, read_upload

router = APIRouter(prefix="/api", tags=["cases"], responses=ERRORS)
MOST_FILES = 500


@router.get("/cases")
def list_cases(bench: Bench) -> list[dict[str, Any]]:
    """All cases, newest first."""
    with bench.database.read() as session:
        counts = dict(session.execute(select(Exhibit.case_id, func.count()).group_by(Exhibit.case_id)).all())
        cases = session.scalars(select(Case).order_by(Case.id.desc()))
        return [_case(case) | {"exhibits": counts.get(case.id, 0)} for case in cases]


@router.post("/cases", status_code=201)
def open_case(wanted: NewCase, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Open a case."""
    with bench.database.write() as session:
        case = Case(name=wanted.name, examiner=wanted.examiner or examiner, notes=wanted.notes)
        session.add(case)
        session.flush()
        audit_log.append(session, "case.opened", {"name": case.name}, case.id, examiner)
        return _case(case)


@router.post("/demo", status_code=201)
def open_demo(bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Open the guided first case on the two bundled pages."""
    with bench.database.write() as session:
        case = Case(name="First case", examiner=examiner, demo=True)
        session.add(case)
        session.flush()
        audit_log.append(session, "case.opened", {"name": case.name, "demo": True}, case.id, examiner)
        for path in (TWO_HANDS, ONE_HAND):
            _add_exhibit(bench, session, case, path.name, path.read_bytes(), examiner)
    bench.jobs.wake()
    return _case(case)


@router.get("/cases/{case_id}")
def show_case(case_id: Id, bench: Bench) -> dict[str, Any]:
    """A case with its exhibits, their pages and its jobs."""
    with bench.database.read() as session:
        case = require(session, Case, case_id)
        jobs = session.scalars(select(Job).where(Job.case_id == case_id).order_by(Job.id))
        query = select(Exhibit).where(Exhibit.case_id == case_id).order_by(Exhibit.position)
        exhibits = [_exhibit(one) for one in session.scalars(query.options(selectinload(Exhibit.pages)))]
        return _case(case) | {"exhibits": exhibits, "jobs": [job_record(job) for job in jobs]}


@router.patch("/cases/{case_id}")
def change_case(case_id: Id, wanted: CaseChange, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Rename a case, or change its notes or examiner."""
    with bench.database.write() as session:
        case = require(session, Case, case_id)
        changes = wanted.model_dump(exclude_none=True)
        for name, value in changes.items():
            setattr(case, name, value)
        audit_log.append(session, "case.changed", changes, case_id, examiner)
        return _case(case)


@router.delete("/cases/{case_id}", status_code=204)
def delete_case(
    case_id: Id, bench: Bench, examiner: Examiner, confirm: Annotated[str, Query(max_length=200)] = ""
) -> None:
    """Delete a case, its findings and files; `confirm` repeats its name. The log keeps that it existed."""
    with bench.database.write() as session:
        case = require(session, Case, case_id)
        if confirm != case.name:
            raise HTTPException(400, "to delete a case, repeat its name in `confirm`")
        for job in session.scalars(select(Job).where(Job.case_id == case_id)):
            session.delete(job)
        digests = files_of(case.exhibits)
        session.delete(case)
        removed = remove_unnamed(session, bench.files, digests)
        details = {"name": case.name, "files_removed": removed}
        audit_log.append(session, "case.deleted", details, case_id, examiner)


@router.post("/cases/{case_id}/exhibits", status_code=201)
def add_exhibits(
    case_id: Id, bench: Bench, examiner: Examiner, files: Annotated[list[UploadFile], File()]
) -> list[dict[str, Any]]:
    """Add scans, photos or PDFs; each is examined in turn. A file that is there is not added twice."""
    if len(files) > MOST_FILES:
        raise HTTPException(413, f"at most {MOST_FILES} files at once")
    added = []
    for file in files:
        name, content = plain_file_name(file.filename), read_upload(file, bench.settings.max_upload)
        with bench.database.write() as session:
            case = require(session, Case, case_id)
            added.append(_add_exhibit(bench, session, case, name, content, examiner))
    bench.jobs.wake()
    return added


@router.patch("/exhibits/{exhibit_id}")
def change_exhibit(exhibit_id: Id, wanted: ExhibitChange, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Change an exhibit's number, its notes or whose known writing it is."""
    with bench.database.write() as session:
        exhibit = require(session, Exhibit, exhibit_id)
        changes = wanted.model_dump(exclude_none=True)
        for name, value in changes.items():
            setattr(exhibit, name, value)
        details = {"exhibit": exhibit.number, "sha256": exhibit.sha256, **changes}
        audit_log.append(session, "exhibit.changed", details, exhibit.case_id, examiner)
        return _exhibit(exhibit)


@router.delete("/exhibits/{exhibit_id}", status_code=204)
def remove_exhibit(exhibit_id: Id, bench: Bench, examiner: Examiner) -> None:
    """Remove an exhibit from its case; the log keeps its digest."""
    with bench.database.write() as session:
        exhibit = require(session, Exhibit, exhibit_id)
        details: dict[str, Any] = {"exhibit": exhibit.number, "name": exhibit.name}
        details["sha256"] = exhibit.sha256
        digests, case_id = files_of([exhibit]), exhibit.case_id
        session.delete(exhibit)
        details["files_removed"] = remove_unnamed(session, bench.files, digests)
        audit_log.append(session, "exhibit.removed", details, case_id, examiner)


def job_record(job: Job) -> dict[str, Any]:
    """A job as plain data."""
    return {
        "id": job.id,
        "kind": job.kind,
        "arguments": job.arguments,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "error": in_reader_language(job.error),
    }


def page_summary(page: ExhibitPage) -> dict[str, Any]:
    """What a list shows of a page."""
    return {
        "id": page.id,
        "number": page.number + 1,
        "width": page.width,
        "height": page.height,
        "error": in_reader_language(page.error),
        **(page.summary or summary_of(page)),
    }


def _add_exhibit(
    bench: Bench, session: Session, case: Case, name: str, content: bytes, examiner: str
) -> dict[str, Any]:
    digest = bench.files.add(content)
    same = next((exhibit for exhibit in case.exhibits if exhibit.sha256 == digest), None)
    if same is not None:
        return _exhibit(same) | {"duplicate": True}
    position = max((exhibit.position for exhibit in case.exhibits), default=0) + 1
    exhibit = Exhibit(case_id=case.id, number=f"E{position}", name=name, sha256=digest, position=position)
    case.exhibits.append(exhibit)
    session.flush()
    session.add(Job(case_id=case.id, kind="examine", arguments={"exhibit": exhibit.id}))
    details = {"exhibit": exhibit.number, "name": name, "sha256": digest, "bytes": len(content)}
    audit_log.append(session, "exhibit.added", details, case.id, examiner)
    return _exhibit(exhibit)


def _case(case: Case) -> dict[str, Any]:
    fields = {name: getattr(case, name) for name in ("id", "name", "examiner", "notes", "demo")}
    return fields | {"created": case.created.isoformat()}


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    fields = {name: getattr(exhibit, name) for name in ("id", "number", "name", "sha256", "notes", "known")}
    return fields | {"pages": [page_summary(page) for page in exhibit.pages]}
