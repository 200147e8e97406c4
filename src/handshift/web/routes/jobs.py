"""Jobs over several pages: the hands of a document, a comparison with known samples."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException
from sqlalchemy import select

from handshift.web import audit_log
from handshift.web.reader_language import in_reader_language
from handshift.web.requests import CompareRequest, DocumentRequest
from handshift.web.routes.cases import job_record
from handshift.web.routes.request_context import ERRORS, Bench, Examiner, Id, require
from handshift.web.tables import Case, Exhibit, ExhibitPage, Job

router = APIRouter(prefix="/api", tags=["jobs"], responses=ERRORS)


@router.get("/jobs/{job_id}")
def show_job(job_id: Id, bench: Bench) -> dict[str, Any]:
    """A job and its result."""
    with bench.database.read() as session:
        job = require(session, Job, job_id)
        return job_record(job) | {"result": _readable(job.result)}


@router.post("/cases/{case_id}/document", status_code=202)
def find_hands(case_id: Id, wanted: DocumentRequest, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Find the hands of several pages and link them."""
    with bench.database.write() as session:
        require(session, Case, case_id)
        for page_id in wanted.pages:
            if require(session, ExhibitPage, page_id).exhibit.case_id != case_id:
                raise HTTPException(400, f"page {page_id} belongs to another case")
        job = _queued(session, case_id, "document", {"pages": wanted.pages}, examiner)
    bench.jobs.wake()
    return job


@router.post("/cases/{case_id}/compare", status_code=202)
def compare(case_id: Id, wanted: CompareRequest, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Compare questioned exhibits with known samples."""
    with bench.database.write() as session:
        require(session, Case, case_id)
        for exhibit_id in (*wanted.questioned, *wanted.known):
            if require(session, Exhibit, exhibit_id).case_id != case_id:
                raise HTTPException(400, f"exhibit {exhibit_id} belongs to another case")
        job = _queued(session, case_id, "compare", wanted.model_dump(), examiner)
    bench.jobs.wake()
    return job


@router.get("/cases/{case_id}/jobs")
def list_jobs(case_id: Id, bench: Bench) -> list[dict[str, Any]]:
    """The jobs of a case, oldest first."""
    with bench.database.read() as session:
        require(session, Case, case_id)
        jobs = session.scalars(select(Job).where(Job.case_id == case_id).order_by(Job.id))
        return [job_record(job) for job in jobs]


def _readable(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """A result with its pages that failed, what was wrong with them in the reader's language."""
    if not result or not result.get("failures"):
        return result
    failures = [one | {"error": in_reader_language(one["error"])} for one in result["failures"]]
    return result | {"failures": failures}


def _queued(
    session: Any, case_id: int, kind: str, arguments: dict[str, Any], examiner: str
) -> dict[str, Any]:
    job = Job(case_id=case_id, kind=kind, arguments=arguments)
    session.add(job)
    session.flush()
    audit_log.append(session, f"{kind}.asked", {"job": job.id, **arguments}, case_id, examiner)
    return job_record(job)
