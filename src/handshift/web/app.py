"""The application: routes, errors and the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from handshift.core.errors import HandshiftError
from handshift.core.version import __version__
from handshift.web.reader_language import ReaderLanguage, in_reader_language
from handshift.web.routes import cases, gallery, jobs, log, machines, pages, server
from handshift.web.security import Gate
from handshift.web.settings import ServerSettings
from handshift.web.workbench import Workbench

STATIC = Path(__file__).with_name("static")


def create_app(settings: ServerSettings) -> FastAPI:
    """Build the application; its workbench opens when the server starts.

    Args:
        settings: How the server runs.

    Returns:
        An ASGI application. The OpenAPI schema lies at ``/api/openapi.json``.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        bench = Workbench(settings)
        app.state.workbench = bench
        bench.open()
        try:
            yield
        finally:
            bench.close()

    app = FastAPI(
        title="handshift workbench",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
    )
    for module in (cases, pages, jobs, gallery, machines, log, server):
        app.include_router(module.router)
    app.add_exception_handler(HandshiftError, _refused)
    app.mount("/", StaticFiles(directory=STATIC, html=True), name="page")
    app.add_middleware(ReaderLanguage)
    app.add_middleware(Gate, settings=settings)
    return app


async def _refused(_: Request, error: Exception) -> JSONResponse:
    """What the user can put right, in one sentence."""
    return JSONResponse({"detail": in_reader_language(getattr(error, "problem", None) or str(error))}, 400)
