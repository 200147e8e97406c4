"""The decoding process: decodes files on request, within limits of memory and processor time."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from handshift.core.errors import PageError
from handshift.page.archive.mets_file import read_mets
from handshift.page.decode_protocol import Header, receive, segmentation_to_json, send
from handshift.page.scan import ScanFile
from handshift.page.sidecar import read_if_segmentation
from handshift.page.size_limits import TOO_MUCH_MEMORY

MEMORY = 2 << 30
"""Bytes of address space besides the file itself: enough for a page of 200 megapixels in colour."""
CPU_SECONDS = 60
"""Processor time of one request; an ordinary page takes less than one."""


class DecodeServer:
    """Answers requests until its input ends."""

    def __init__(self) -> None:
        self._files: dict[int, ScanFile] = {}

    def answer(self, request: Header) -> tuple[Header, memoryview | bytes]:
        """Answer one request; whatever goes wrong with a file becomes the answer."""
        path = Path(request["path"])
        try:
            if request.get("folder"):
                os.chdir(request["folder"])
            return self._do(request, path)
        except PageError as error:
            return _refusal(error), b""
        except MemoryError:
            return _refusal(PageError(path, TOO_MUCH_MEMORY, number=request.get("number", 0))), b""
        except Exception as error:
            problem = f"cannot be decoded ({type(error).__name__}: {error}); copy or export it again"
            return _refusal(PageError(path, problem, number=request.get("number", 0))), b""

    def _do(self, request: Header, path: Path) -> tuple[Header, memoryview | bytes]:
        match request["do"]:
            case "open":
                file = self._opened(request["file"], path)
                return {"pages": len(file), "sha256": file.sha256}, b""
            case "scan":
                scan = self._opened(request["file"], path).scan(request["number"])
                about = {
                    "shape": scan.image.shape,
                    "dpi": scan.dpi,
                    "sha256": scan.sha256,
                    "synthetic": scan.synthetic,
                }
                return about, np.ascontiguousarray(scan.image).reshape(-1).data
            case "close":
                if finished := self._files.pop(request["file"], None):
                    finished.__exit__()
                return {}, b""
            case "segmentation":
                given = read_if_segmentation(path, request["number"])
                return {"given": segmentation_to_json(given) if given else None}, b""
            case "mets":
                _limit_memory(_size(path))
                return {
                    "pages": [[asdict(one) if one else None for one in page] for page in read_mets(path)]
                }, b""
            case unknown:
                raise ValueError(f"no request is called {unknown}")

    def _opened(self, number: int, path: Path) -> ScanFile:
        """The open file of this number; opened again where the process that opened it has died."""
        if number not in self._files:
            _limit_memory(_size(path))
            self._files[number] = ScanFile(path)
        return self._files[number]


def main() -> None:
    """Serve standard input and output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handshift's; it ends this process by closing
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not look like an answer
    server = DecodeServer()
    while True:
        try:
            request, _ = receive(sys.stdin.buffer, 0)
        except EOFError:
            return
        _limit_cpu()
        header, payload = server.answer(request)
        try:
            send(answers, header, payload)
        except BrokenPipeError:
            return


def _refusal(error: PageError) -> Header:
    return {"problem": error.problem, "path": str(error.path), "number": error.number, "sha256": error.sha256}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _limit_memory(extra: int) -> None:
    _limit("RLIMIT_AS", MEMORY + extra)


def _limit_cpu() -> None:
    used = os.times()
    _limit("RLIMIT_CPU", int(used.user + used.system) + CPU_SECONDS)


def _limit(name: str, value: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the wall clock still holds there
        return
    kind: Any = getattr(resource, name)
    try:
        _, hard = resource.getrlimit(kind)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bounded, hard))
    except (OSError, ValueError):  # a system that knows the limit but does not let it be set
        return


if __name__ == "__main__":
    main()
