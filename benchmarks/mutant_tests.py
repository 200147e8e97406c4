"""The tests of a module in a forked process, with a changed module in the place of the real one.

A fork and not a new process: importing PyTorch, SciPy and pytest takes seconds, most tests milliseconds.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
QUIET = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "--no-header"]
QUIET += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins are imported before the fork


class ChangedModule(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one module from a changed tree."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        super().__init__(name, str(path))
        self.tree = tree

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        """This loader, for the one module."""
        if fullname != self.name:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin=self.path)

    def get_code(self, fullname: str) -> CodeType:
        """The changed tree, compiled; never read from, nor written to, a cache."""
        return compile(self.tree, self.path, "exec")


class Watch:
    """Which tests ran, how long each took of the processor, and which lines of the modules it reached."""

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self.files = {str(file) for file in files}
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.failed: str | None = None
        self.current = ""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Time a test with its fixtures, and trace it."""
        self.current, begun = item.nodeid, time.process_time()
        if self.files:
            sys.settrace(self._called)
        yield
        sys.settrace(None)
        self.seconds[item.nodeid] = time.process_time() - begun

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first test that failed."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename in self.files else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        self.lines[self.current].add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def baseline(files: Sequence[Path], tests: Sequence[str]) -> dict[str, Any]:
    """Seconds and reached lines of every test on the unchanged modules, and what the tests import."""

    def run() -> dict[str, Any]:
        watch = Watch(files)
        code = pytest.main([*QUIET, *tests], plugins=[watch])
        ours = {str(ROOT / "src"), str(ROOT / "tests")}
        imported = [
            name
            for name, module in sys.modules.items()
            if not str(getattr(module, "__file__", None) or "").startswith(tuple(ours))
        ]
        lines = {test: sorted(reached) for test, reached in watch.lines.items()}
        return {"code": int(code), "seconds": watch.seconds, "lines": lines, "imported": imported}

    found = in_fork(run, seconds=900)
    if found is None or found["code"] != 0:
        raise SystemExit(f"the tests fail without any change: {' '.join(tests)}")
    return found


def first_failure(name: str, path: Path, tree: ast.Module, tests: Sequence[str], seconds: int) -> str | None:
    """The test that notices a change; None if none does. A test that no longer ends notices, too."""

    def run() -> dict[str, Any]:
        sys.meta_path.insert(0, ChangedModule(name, path, tree))
        watch = Watch()
        code = pytest.main([*QUIET, *tests], plugins=[watch])
        return {"failed": watch.failed or (None if code == 0 else "import")}

    found = in_fork(run, seconds)
    return "time" if found is None else found["failed"]


def in_fork(run: Callable[[], dict[str, Any]], seconds: int) -> dict[str, Any] | None:
    """Call a function in a forked process within a limit of processor time; None if it did not return."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        with os.fdopen(write, "w") as answer:
            try:
                json.dump(run(), answer)
            except BaseException as error:  # for the parent, which alone may raise it
                json.dump({"problem": repr(error)}, answer)
        os._exit(0)
    os.close(write)
    # By the clock only as a net, for a change that makes a test sleep.
    previous = signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(40 * seconds)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)
    found = dict(json.loads(text)) if text else None
    if found and "problem" in found:
        raise RuntimeError(found["problem"])
    return found
