"""Tests against changed code, in forks of one pytest session.

Collected and imported once: a fork in which a function has other code costs the tests' own time, milliseconds
for most, where a new process costs seconds of imports. Only a change outside functions needs new imports.
"""

from __future__ import annotations

import ast
import gc
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
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
QUIET = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "--no-header"]
QUIET += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # in a fork, plugins are imported already
Answer = dict[str, Any]
PATIENCE = 5
"""Times as long as without the change a test may take; by the clock, on a busy machine, again so many."""


class ChangedModule(importlib.machinery.SourceFileLoader):
    """Imports one module from a changed tree."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        super().__init__(name, str(path))
        self.tree = tree

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        """This loader, for the one module."""
        if fullname != self.name:
            return None
        return importlib.machinery.ModuleSpec(
            fullname, self, origin=self.path, is_package=Path(self.path).name == "__init__.py"
        )

    def get_code(self, fullname: str) -> CodeType:
        """The changed tree, compiled; never read from, nor written to, a cache."""
        return compile(self.tree, self.path, "exec")


class TestBench:
    """A pytest plugin that does some work in the place of running the collected tests.

    Args:
        files: Modules whose lines are traced in the baseline.
        work: What to do once the tests are collected; without it they are run.
    """

    __test__ = False

    def __init__(self, files: Sequence[Path], work: Callable[[TestBench], None] | None = None) -> None:
        self._files = {str(file) for file in files}
        self._work = work
        self._lines: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self._current, self._begun = "", 0.0
        self._setup: dict[str, float] = {}
        self._seconds: dict[str, float] = {}
        self.items: dict[str, pytest.Item] = {}
        self.failed: str | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Called by pytest after the collection."""
        if self._work is None:
            return None
        if session.testsfailed:
            raise session.Interrupted("tests cannot be collected")
        self.items = {item.nodeid: item for item in session.items}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        for found in gc.get_objects():
            # `isinstance` would ask proxies for their class, which torch answers with a warning.
            if type(found) is FunctionType and found.__code__.co_filename in self._files:
                self._functions[found.__code__.co_filename].append(found)
        self._work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first test that failed, and how long fixtures took."""
        if report.when == "setup":
            self._setup[report.nodeid] = time.process_time() - self._begun
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def baseline(self, slow: float) -> tuple[list[str], dict[str, list[tuple[str, int]]]]:
        """The tests worth asking, the quickest first, and the lines that each reaches in the modules.

        Args:
            slow: Seconds of processor time above which a test is left out, and with it every test that
                waits for the same fixture.
        """
        timed = self._unchanged(list(self.items), trace=False)
        waiting = {
            name
            for test, seconds in timed["setup"].items()
            if seconds > slow
            for name in _shared_fixtures(self.items[test])
        }
        self._seconds = {
            test: seconds
            for test, seconds in timed["seconds"].items()
            if seconds <= slow and not waiting & _shared_fixtures(self.items[test])
        }
        quick = sorted(self._seconds, key=lambda test: self._seconds[test])
        # Tracing makes a loop of Python many times as slow, so seconds are those of a run without it.
        return quick, self._unchanged(quick, trace=True)["lines"]

    def _unchanged(self, tests: Sequence[str], trace: bool) -> Answer:
        """Seconds of every test and of its fixtures, and reached lines, on the unchanged modules."""

        def run() -> Answer:
            seconds = {}
            for name, item, following in self._in_order(tests):
                self._current, self._begun = name, time.process_time()
                sys.settrace(self._called if trace else None)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                sys.settrace(None)
                seconds[name] = time.process_time() - self._begun
            lines = {test: sorted(reached) for test, reached in self._lines.items()}
            return {"failed": self.failed, "seconds": seconds, "setup": self._setup, "lines": lines}

        found = in_fork(run, seconds=900)
        if found is None or found["failed"]:
            raise SystemExit(f"a test fails without any change: {found and found['failed']}")
        return found

    def can_take(self, path: Path, tree: ast.Module) -> bool:
        """Whether functions can take the changed code: a dropped ``super()`` leaves fewer free variables."""
        codes = _codes(compile(tree, str(path), "exec"))
        functions = [function.__code__ for function in self._functions[str(path)]]
        return all(
            codes[code.co_qualname, code.co_firstlineno].co_freevars == code.co_freevars for code in functions
        )

    def first_failure(self, path: Path, tree: ast.Module, tests: Sequence[str]) -> str | None:
        """The test that notices a change within functions; None if none does.

        A test that no longer ends notices, too.
        """

        def run() -> Answer:
            codes = _codes(compile(tree, str(path), "exec"))
            for function in self._functions[str(path)]:
                function.__code__ = codes[function.__code__.co_qualname, function.__code__.co_firstlineno]
            for name, item, following in self._in_order(tests):
                limit_time(PATIENCE * (self._seconds[name] + 1.0))
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.failed:
                    break
            return {"failed": self.failed}

        found = in_fork(run, int(PATIENCE * (60 + sum(self._seconds[test] for test in tests))))
        return "time" if found is None else found["failed"]

    def _in_order(self, tests: Sequence[str]) -> list[tuple[str, pytest.Item, pytest.Item | None]]:
        items = [self.items[test] for test in tests]
        return list(zip(tests, items, [*items[1:], None], strict=True))

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename in self._files else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        self._lines[self._current].add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def _shared_fixtures(item: pytest.Item) -> set[str]:
    """Fixtures of a test that other tests wait for, too, by file and name."""
    known = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009
    return {
        f"{definitions[-1].baseid}::{name}"
        for name, definitions in known.items()
        if definitions[-1].scope != "function" and definitions[-1].baseid
    }


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """All functions of a compiled module by name and line."""
    found = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found[inner.co_qualname, inner.co_firstlineno] = inner
            found |= _codes(inner)
    return found


def first_failure_anew(
    name: str, path: Path, tree: ast.Module, tests: Sequence[str], seconds: int
) -> str | None:
    """As `TestBench.first_failure`, for a change outside functions: our modules are imported again."""

    def run() -> Answer:
        ours = (str(ROOT / "src"), str(ROOT / "tests"))
        for known, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(ours):
                del sys.modules[known]
        sys.meta_path.insert(0, ChangedModule(name, path, tree))
        bench = TestBench([])
        code = pytest.main([*QUIET, "-x", *tests], plugins=[bench])
        return {"failed": bench.failed or (None if code == 0 else "import")}

    found = in_fork(run, seconds)
    return "time" if found is None else found["failed"]


def limit_time(seconds: float) -> None:
    """End this process when it takes more processor time from now on, or waits much longer by the clock."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    soon = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soon if most < 0 else min(soon, most), most))
    signal.alarm(int(PATIENCE * seconds) + 1)


def in_fork(run: Callable[[], Answer], seconds: int) -> Answer | None:
    """Call a function in a forked process within a limit of processor time; None if it did not return."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        limit_time(seconds)
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
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    found = dict(json.loads(text)) if text else None
    if found and "problem" in found:
        raise RuntimeError(found["problem"])
    return found
