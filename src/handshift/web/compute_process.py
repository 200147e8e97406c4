"""A process that computes for the server: one request at a time, restarted when it dies."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from operator import attrgetter
from pathlib import Path
from typing import Any

from handshift.core.errors import HandshiftError

_CONTEXT = multiprocessing.get_context("spawn")


class ComputeDiedError(HandshiftError):
    """The process ended in the middle of a request: out of memory, or killed."""


class ComputeProcess:
    """Sends requests to `Computer` in a child process and waits for the answers.

    Args:
        store: Folder of the file store.
        model: Id or folder of the model; the default when None.
        threads: Processor threads of the networks.
    """

    def __init__(self, store: Path, model: str | None, threads: int = 2) -> None:
        self._arguments = (str(store), model, threads)
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Connection | None = None

    def call(
        self, function: str, *arguments: Any, on_message: Callable[[dict[str, Any]], None] | None = None
    ) -> Any:
        """Run a method of `Computer` in the child.

        Args:
            function: The method's name; of a part of `Computer` with a dot, as ``machines.score``.
            arguments: Its arguments, without `send`.
            on_message: Receives what the method sends before it returns; then it is given `send` last.

        Returns:
            What the method returns.

        Raises:
            HandshiftError: The method's own error, with its message.
            ComputeDiedError: The process died; the next call starts a new one.
        """
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((function, arguments, on_message is not None))
                while True:
                    kind, content = pipe.recv()
                    if kind == "message" and on_message is not None:
                        on_message(content)
                    elif kind == "result":
                        return content
                    elif kind == "error":
                        raise HandshiftError(content)
            except (EOFError, OSError) as error:
                self._stop()
                raise ComputeDiedError(
                    "the computation was ended by the system (out of memory?); try again with a smaller file"
                ) from error

    def close(self) -> None:
        """End the process."""
        self._stop()

    def _started(self) -> Connection:
        if self._pipe is None or self._process is None or not self._process.is_alive():
            self._stop()
            self._pipe, theirs = _CONTEXT.Pipe()
            self._process = _CONTEXT.Process(target=_serve, args=(theirs, *self._arguments), daemon=True)
            self._process.start()
            theirs.close()
        return self._pipe

    def _stop(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        self._pipe = self._process = None


def _serve(pipe: Connection, store: str, model: str | None, threads: int) -> None:
    """The child: answer requests until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when to end
    from handshift.web.compute import Computer

    computer = Computer(Path(store), model, threads)
    while True:
        try:
            function, arguments, sends = pipe.recv()
        except (EOFError, OSError):
            return
        extra = (lambda message: pipe.send(("message", message)),) if sends else ()
        try:
            answer = ("result", attrgetter(function)(computer)(*arguments, *extra))
        except HandshiftError as error:
            # Without the path: it is that of the store, which says nothing to a person.
            answer = ("error", getattr(error, "problem", None) or str(error))
        except Exception as error:  # anything else must reach the person as well, not end the process
            answer = ("error", f"unexpected {type(error).__name__}: {error}")
        try:
            pipe.send(answer)
        except (BrokenPipeError, OSError):
            return
