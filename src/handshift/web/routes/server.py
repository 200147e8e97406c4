"""The server itself: what it runs, and what happens on it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from handshift.core.version import __version__
from handshift.models.shipped_models import find_model
from handshift.web.routes.request_context import ERRORS, Bench

router = APIRouter(prefix="/api", tags=["server"], responses=ERRORS)


@router.get("/info")
def info(bench: Bench) -> dict[str, Any]:
    """Version and the model's card."""
    card = find_model(bench.settings.model).card
    return {"version": __version__, "model": asdict(card), "max_upload": bench.settings.max_upload}


@router.get("/events", response_class=StreamingResponse)
async def events(bench: Bench) -> StreamingResponse:
    """Jobs and pages as they change, as server-sent events."""
    return StreamingResponse(bench.events.subscribe(), media_type="text/event-stream")
