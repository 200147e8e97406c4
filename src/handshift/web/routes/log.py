"""The audit log: shown, verified and exported."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from handshift.web import audit_log
from handshift.web.routes.request_context import ERRORS, Bench

router = APIRouter(prefix="/api/log", tags=["log"], responses=ERRORS)


@router.get("")
def show_log(
    bench: Bench, case: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None
) -> list[dict[str, Any]]:
    """What was done when, by whom and with which model; of one case where asked."""
    with bench.database.read() as session:
        return audit_log.records(session, case)


@router.get("/verify")
def verify_log(bench: Bench) -> dict[str, Any]:
    """Whether the chain of hashes is whole."""
    with bench.database.read() as session:
        lines = audit_log.records(session)
    try:
        return {"intact": True, "lines": audit_log.verify(lines), "last": lines[-1]["hash"] if lines else ""}
    except audit_log.LogError as error:
        return {"intact": False, "lines": len(lines), "error": str(error)}


@router.get("/export.jsonl", response_class=PlainTextResponse)
def export_log(bench: Bench) -> PlainTextResponse:
    """The whole log as JSON lines, which `handshift log verify` checks."""
    with bench.database.read() as session:
        text = audit_log.export_lines(audit_log.records(session))
    headers = {"Content-Disposition": "attachment; filename=handshift-log.jsonl"}
    return PlainTextResponse(text, media_type="application/x-ndjson", headers=headers)
