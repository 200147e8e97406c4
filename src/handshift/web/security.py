"""Who is answered: pages of this server, by its own name, with the token where there is one."""

from __future__ import annotations

import secrets
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handshift.web.settings import ServerSettings

COOKIE = "handshift_token"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Gate:
    """ASGI middleware: Host check (DNS rebinding), origin check (CSRF), token, size limit, headers."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, _bounded(receive, self._settings.max_upload), _with_headers(send, scope))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if _hostname(host) not in self._settings.hosts:
            return _error(421, "this server does not answer to that name")
        if scope["method"] not in _SAFE and not _same_origin(headers, host):
            return _error(403, "requests from other sites are refused")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._settings.max_upload:
            return _error(413, f"larger than {self._settings.max_upload >> 20} MiB")
        return self._token_refusal(scope, headers)

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        token = self._settings.token
        if not token or _given(headers, token):
            return None
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if scope["method"] == "GET" and _equal(query.pop("token", [""])[0], token):
            # Out of the address and into a cookie, so that it is not in history, logs or screenshots.
            rest = urlencode(query, doseq=True)
            response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return response
        return _error(401, "this server wants its token: open the address that `handshift serve` printed")


def _hostname(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host


def _same_origin(headers: Headers, host: str) -> bool:
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == host


def _given(headers: Headers, token: str) -> bool:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and _equal(value, token):
        return True
    cookie: SimpleCookie = SimpleCookie()
    try:
        cookie.load(headers.get("cookie", ""))
    except Exception:  # http.cookies raises several kinds on odd headers
        return False
    return COOKIE in cookie and _equal(cookie[COOKIE].value, token)


def _equal(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _error(status: int, message: str) -> Response:
    return JSONResponse({"detail": message}, status)


def _bounded(receive: Receive, limit: int) -> Receive:
    """A body without a stated length is cut off at the limit all the same."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            return {"type": "http.disconnect"}
        return message

    return bounded


def _with_headers(send: Send, scope: Scope) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if scope["path"].startswith("/api"):
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return with_headers
