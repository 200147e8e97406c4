"""`DecodeWorker`: decodes untrusted files in another process, replaced when a file makes it hang or crash."""

from __future__ import annotations

import atexit
import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from handshift.core.errors import PageError
from handshift.page.archive.mets_file import MetsFile, MetsPage
from handshift.page.decode_protocol import Header, receive, segmentation_from_json, send
from handshift.page.external_segmentation import ExternalSegmentation
from handshift.page.scan import Scan
from handshift.page.sidecar import segmentation_candidates
from handshift.page.size_limits import MAX_PIXELS

WALL_SECONDS = 900.0 if find_spec("resource") else 120.0
"""Time by the clock that one request may take. Where the system limits processor time, the clock is only for
what waits without using any: at a load of 20, 60 s of processor time took more than the 120 s of before."""


class DecodeWorker:
    """The decoding process of this process: started at the first request, and again after a failure."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process if none is running, without waiting for it."""
        with self._lock:
            self._running()

    def request(self, header: Header, path: Path, most: int = 0) -> tuple[Header, bytearray]:
        """Send a request and wait for its answer.

        Args:
            header: The request.
            path: The file it is about.
            most: Largest payload expected, in bytes.

        Returns:
            Header and payload of the answer.

        Raises:
            PageError: The file cannot be decoded, or the process hung or crashed on it.
        """
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            watchdog = _Watchdog(process)
            try:
                send(process.stdin, {**header, "path": str(path), "folder": _folder(path)})
                answer, payload = receive(process.stdout, most)
            except (EOFError, ValueError, OSError) as error:
                problem = _cause(self._discard(process), watchdog.late)
                raise PageError(path, problem, number=header.get("number", 0)) from error
            except BaseException:  # Ctrl-C in the middle of an answer: its rest would be taken for the next
                self._discard(process)
                raise
            finally:
                watchdog.cancel()
        if "problem" in answer:
            number, sha256 = int(answer["number"]), answer["sha256"]
            raise PageError(Path(answer["path"]), str(answer["problem"]), number=number, sha256=sha256)
        return answer, payload

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._process is not None and self._owner == os.getpid():
                self._process.kill()
                self._discard(self._process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._owner != os.getpid():  # a forked child must not use its parent's process
            self._process = None
        if self._process is not None and self._process.poll() is not None:
            self._discard(self._process)
        if self._process is None:
            self._process, self._owner = _start_server(), os.getpid()
        return self._process

    def _discard(self, process: subprocess.Popen[bytes]) -> int:
        """Make sure that the process has ended, and return its exit code."""
        try:
            code = process.wait(timeout=1.0)  # a crash closes the pipe shortly before the process is gone
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:  # a request that was never read
                    continue
        self._process = None
        return code


class _Watchdog:
    """Kills a process that does not answer in time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.late = False
        self._process = process
        self._timer = threading.Timer(WALL_SECONDS, self._kill)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        self._timer.cancel()

    def _kill(self) -> None:
        self.late = True
        self._process.kill()


class IsolatedFile:
    """A file of scans, decoded by the worker; used like `scan.ScanFile`.

    Args:
        path: An image, a multi-page TIFF or a PDF.

    Raises:
        PageError: The file cannot be read or decoded.
    """

    _numbers = itertools.count()

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._number = next(self._numbers)
        answer, _ = WORKER.request({"do": "open", "file": self._number}, self.path)
        self.sha256 = str(answer["sha256"])
        self._pages = int(answer["pages"])

    def __enter__(self) -> IsolatedFile:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            WORKER.request({"do": "close", "file": self._number}, self.path)
        except PageError:  # the process died, and with it what was to be closed
            return

    def __len__(self) -> int:
        return self._pages

    def scan(self, number: int) -> Scan:
        """Decode one page.

        Args:
            number: The page, from 0.

        Raises:
            PageError: There is no such page, it is damaged, or decoding it took too long or too much memory.
        """
        try:
            request = {"do": "scan", "file": self._number, "number": number}
            answer, pixels = WORKER.request(request, self.path, most=3 * MAX_PIXELS)
            if answer["sha256"] != self.sha256:  # a new process has opened the file again
                raise PageError(self.path, "changed while it was being read; examine it again")
        except PageError as error:
            error.number, error.sha256 = number, self.sha256
            raise
        image = np.frombuffer(pixels, np.uint8).reshape(tuple(map(int, answer["shape"])))
        return Scan(image, self.path, self.sha256, number, answer["dpi"], answer["synthetic"])


def isolated_pages(path: Path | str, first: int = 0) -> Iterator[Scan | PageError]:
    """Yield every page of one file, or in its place the error that says why it cannot be read.

    A file that cannot be opened at all is one error.

    Args:
        path: An image, a multi-page TIFF or a PDF.
        first: The page to start with, from 0.
    """
    try:
        file = IsolatedFile(path)
    except PageError as error:
        yield error
        return
    with file:
        for number in range(first, len(file)):
            yield _attempt(file, number)


def isolated_segmentation(scan: Path | str, number: int = 0) -> ExternalSegmentation | None:
    """As `sidecar.find_segmentation`, with the XML parsed by the worker."""
    for candidate in segmentation_candidates(Path(scan)):
        answer, _ = WORKER.request({"do": "segmentation", "number": number}, candidate)
        if answer["given"] is not None:
            return segmentation_from_json(answer["given"])
    return None


def isolated_mets(path: Path) -> list[MetsPage]:
    """As `archive.mets_file.read_mets`, with the XML parsed by the worker."""
    answer, _ = WORKER.request({"do": "mets"}, path)
    return [(MetsFile(**image), MetsFile(**text) if text else None) for image, text in answer["pages"]]


def _attempt(file: IsolatedFile, number: int) -> Scan | PageError:
    try:
        return file.scan(number)
    except PageError as error:
        return error


def _folder(path: Path) -> str | None:
    """Where a relative path starts; this process may have changed folders since the worker started."""
    return None if path.is_absolute() else str(Path.cwd())


def _start_server() -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        # -P keeps the current folder, which may hold anybody's files, off the path.
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        "OPENBLAS_NUM_THREADS": "1",  # each thread would reserve address space
    }
    command = [sys.executable, "-P", "-m", "handshift.page.decode_server"]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        env=environment,
        start_new_session=True,  # Ctrl-C in the terminal is for handshift alone
    )


def _cause(code: int, late: bool) -> str:
    if late or code == -getattr(signal, "SIGXCPU", 0):
        return "takes too long to decode and was given up; export or scan it again"
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"makes the decoder crash ({how}); export or scan it again"


WORKER = DecodeWorker()
atexit.register(WORKER.close)
