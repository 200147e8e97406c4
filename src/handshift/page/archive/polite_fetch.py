"""Files over HTTP: one request at a time with a pause, resumed where a download broke off, within limits."""

from __future__ import annotations

import http.client
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from handshift.core.errors import PageError
from handshift.core.version import __version__

SECONDS_BETWEEN = 0.5
"""Between requests to one host; ``HANDSHIFT_FETCH_RATE`` sets requests a second."""
LARGEST_IMAGE = 512 << 20
LARGEST_JSON = 64 << 20
_TRIES = 4
_TIMEOUT = 60.0
_LONGEST_WAIT = 120.0
_BLOCK = 1 << 16
_ASKED: dict[str, float] = {}
"""When each host was last asked, by any fetcher of this process."""
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers after which another try may succeed."""


class _OnlyHttp(HTTPRedirectHandler):
    """A redirect may not lead to a file of this machine."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme not in ("http", "https"):
            raise URLError(f"redirected to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(slots=True)
class PoliteFetcher:
    """Fetches files from servers that others use too."""

    pause: float = field(default_factory=lambda: _pause())
    sleep: Callable[[float], None] = time.sleep
    _opener: OpenerDirector = field(default_factory=lambda: build_opener(_OnlyHttp))

    def fetch(self, url: str, path: Path, limit: int = LARGEST_IMAGE, *, anew: bool = False) -> Path:
        """Fetch a file, unless it is there already; what an earlier attempt has fetched of it is kept.

        Args:
            url: http or https.
            path: Where it goes; beside it, ``.part`` holds an unfinished download and ``.part.version`` what
                the server calls this version of the file.
            limit: Most bytes.
            anew: Whether a file that is there is replaced.

        Returns:
            The path.

        Raises:
            PageError: The address cannot be fetched, or is too large.
        """
        if path.is_file() and not anew:
            return path
        if os.environ.get("HANDSHIFT_OFFLINE"):
            raise PageError(url, "is not here yet, and HANDSHIFT_OFFLINE forbids to fetch it")
        if not url.lower().startswith(("http://", "https://")):
            raise PageError(url, "only http and https are fetched")
        part = path.with_name(f"{path.name}.part")
        path.parent.mkdir(parents=True, exist_ok=True)
        problem = ""
        for attempt in range(_TRIES):
            wait = 0.0
            try:
                self._download(url, part, limit)
                part.replace(path)
                _version_of(part).unlink(missing_ok=True)
                return path
            except HTTPError as error:
                problem = f"the server answers {error.code} {error.reason}"
                if error.code == 416:  # what was kept does not fit the file there
                    part.unlink(missing_ok=True)
                elif error.code not in _AGAIN:
                    break
                wait = _retry_after(error)
            except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
                problem = str(getattr(error, "reason", error))
            except ValueError as error:  # an address that is none, or a length that is no number
                problem = str(error)
                break
            if attempt + 1 < _TRIES:
                self.sleep(min(wait or self.pause * 2 ** (attempt + 1), _LONGEST_WAIT))
        raise PageError(url, f"cannot be fetched ({problem}); try again later, it goes on from here")

    def _download(self, url: str, part: Path, limit: int) -> None:
        self._wait_for(urlsplit(url).netloc)
        have = part.stat().st_size if part.exists() else 0
        with self._opener.open(_request(url, part, have), timeout=_TIMEOUT) as answer:
            resumed = have > 0 and answer.status == 206
            if resumed and not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                part.unlink()
                raise URLError("the server answers with another part of the file")
            have = have if resumed else 0
            whole = have + int(answer.headers.get("Content-Length") or 0)
            if whole > limit:
                raise PageError(url, f"has {whole:,} bytes; at most {limit:,} are fetched")
            if not resumed:
                _note_version(part, answer.headers)
            with part.open("ab" if resumed else "wb") as file:
                while block := answer.read(_BLOCK):
                    have += len(block)
                    if have > limit:
                        raise PageError(url, f"has more than the {limit:,} bytes that are fetched")
                    file.write(block)
        if have < whole:
            raise URLError("the connection broke off")

    def _wait_for(self, host: str) -> None:
        due = _ASKED.get(host, -self.pause) + self.pause
        if (wait := due - time.monotonic()) > 0:
            self.sleep(wait)
        _ASKED[host] = time.monotonic()


def _request(url: str, part: Path, have: int) -> Request:
    """Ask for the whole file, or for what is missing of it if the server still has the same version."""
    headers = {"User-Agent": f"handshift/{__version__}"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if (version := _version_of(part)).is_file():
            headers["If-Range"] = version.read_text(encoding="ascii")
    return Request(url, headers=headers)


def _version_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.version")


def _note_version(part: Path, headers: HTTPMessage) -> None:
    """Keep what a later attempt asks by, so that no file is joined from two versions."""
    tag = headers.get("ETag", "")
    known = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
    if known.isascii() and known.isprintable() and known:
        _version_of(part).write_text(known, encoding="ascii")
    else:
        _version_of(part).unlink(missing_ok=True)


def _pause() -> float:
    try:
        rate = float(os.environ.get("HANDSHIFT_FETCH_RATE", ""))
    except ValueError:
        return SECONDS_BETWEEN
    return 1 / rate if rate > 0 else SECONDS_BETWEEN


def _retry_after(error: HTTPError) -> float:
    """Seconds that the server asks to wait."""
    given = error.headers.get("Retry-After") if error.headers else None
    if not given:
        return 0.0
    try:
        if given.isdecimal():
            return float(given)
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0
