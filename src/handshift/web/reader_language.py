"""The language of whoever reads an answer, so that problems of files are said in it; records keep English."""

from __future__ import annotations

from contextvars import ContextVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from handshift.calibration.verbal_scale import Language
from handshift.report.problems import problem

_LANGUAGE = ContextVar("language of the reader", default=Language.en)


class ReaderLanguage:
    """ASGI middleware: remembers the language a request asks for while it is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the first language of Accept-Language where there is one, in English otherwise."""
        wanted = Headers(scope=scope).get("accept-language", "") if scope["type"] == "http" else ""
        first = wanted.partition(",")[0].strip()[:2].lower()
        set_before = _LANGUAGE.set(Language(first) if first in set(Language) else Language.en)
        try:
            await self._app(scope, receive, send)
        finally:
            _LANGUAGE.reset(set_before)


def in_reader_language(error: str | None) -> str | None:
    """What went wrong, as the reader of this answer understands it; None and an empty text stay."""
    return problem(error, _LANGUAGE.get()) if error else error
