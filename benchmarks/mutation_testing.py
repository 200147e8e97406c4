"""Mutation testing of metrics, margins, calibration and the partition ratio: which changes no test notices.

python benchmarks/mutation_testing.py --part run --state mutation-state       # goes on where it was stopped
python benchmarks/mutation_testing.py --part run --groups metrics --seconds 300
python benchmarks/mutation_testing.py --part table --state mutation-state     # score, survivors

A change within a function is tried with the tests that reach its statement, the quick ones first; any other,
and one that no test reaches, with all quick tests of its group and new imports. Survivors are tried again
when a test has changed. Changes that cannot alter results are listed, with the reason, in
benchmarks/equivalent-mutants.json.
"""

from __future__ import annotations

import ast
import hashlib
import json
import random
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from journalled_pieces import add, rows
from mutant_tests import QUIET, ROOT, TestBench, first_failure_anew
from mutants import Mutant, mutants
from result_file import Benchmark

SOURCE = ROOT / "src" / "handshift"
EQUIVALENT = Path(__file__).parent / "equivalent-mutants.json"
SLOW = 1.5
"""Seconds of processor time above which a test is left out: what it alone notices is unnoticed."""
ANEW = 120
"""Seconds of processor time for all quick tests of a group after a change outside functions."""
CALIBRATION = (
    *("calibration", "two_slope", "logistic", "isotonic", "kernel", "elub", "invariance_bounds"),
    *("bootstrap_band", "labelled_scores", "page_calibration", "pair_calibration", "operating_points"),
)
PARTITION = ("partition_exact", "partition", "bipartitions")
GROUPS: dict[str, tuple[list[str], list[str]]] = {
    "metrics": (["metrics/*.py"], ["tests/metrics"]),
    "margins": (
        ["embedding/train/margins/*.py"],
        ["tests/embedding/test_margins.py", "tests/embedding/test_exact_margins.py"],
    ),
    "calibration": ([f"calibration/{name}.py" for name in CALIBRATION], ["tests/calibration"]),
    "partition": (["detect/partition/*.py"], [f"tests/detect/test_{name}.py" for name in PARTITION]),
}


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--part", choices=["run", "table"], required=True)
    benchmark.options.add_argument("--state", type=Path, default=Path("mutation-state"))
    benchmark.options.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    benchmark.options.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    given = benchmark.begin()
    given.state.mkdir(parents=True, exist_ok=True)
    state = given.state / "mutants.jsonl"
    if given.part == "table":
        benchmark.write(table(state))
        return
    warnings.simplefilter("ignore")
    until = time.monotonic() + given.seconds
    for group in given.groups:
        if time.monotonic() < until:
            Group(group, state).run(until)


@dataclass(frozen=True)
class Planned:
    """One change of one module."""

    module: str
    path: Path
    mutant: Mutant
    key: str
    """File and change; the second of two equal statements is numbered."""


def planned(group: str) -> list[Planned]:
    """All changes of a group, in a random order: any part of them is a fair sample."""
    found = []
    for pattern in GROUPS[group][0]:
        for path in sorted(SOURCE.glob(pattern)):
            module = ".".join(("handshift", *path.relative_to(SOURCE).with_suffix("").parts))
            module = module.removesuffix(".__init__")
            seen: Counter[str] = Counter()
            for mutant in mutants(path.read_text("utf-8")):
                key = f"{path.relative_to(SOURCE).as_posix()}: {mutant.change}"
                seen[key] += 1
                key += f" ({seen[key]})" if seen[key] > 1 else ""
                found.append(Planned(module, path, mutant, key))
    random.Random(group).shuffle(found)
    return found


class Group:
    """The changes of one group and the tests that should notice them."""

    def __init__(self, name: str, state: Path) -> None:
        self.name, self.state = name, state
        self.tests = GROUPS[name][1]
        files = sorted({path for test in self.tests for path in python_files(ROOT / test)})
        self.tests_digest = digest(files)
        self.plan = planned(name)
        self.sources = {one.path: digest([one.path]) for one in self.plan}

    def run(self, until: float) -> None:
        """Try every change that was not tried, or was not noticed by earlier tests."""
        waiting = [one for one in self.plan if not self._is_done(one)]
        print(f"{self.name}: {len(self.plan)} changes, {len(waiting)} to try", flush=True)
        if not waiting:
            return
        bench = TestBench(sorted(self.sources), lambda bench: self._try_all(bench, waiting, until))
        code = pytest.main([*QUIET, *(str(ROOT / test) for test in self.tests)], plugins=[bench])
        if code:
            raise SystemExit(int(code))

    def _try_all(self, bench: TestBench, waiting: list[Planned], until: float) -> None:
        order, lines_of = bench.baseline(SLOW)
        reached: dict[tuple[str, int], set[str]] = defaultdict(set)
        for test, lines in lines_of.items():
            for file, line in lines:
                reached[file, line].add(test)
        first = self.plan[0]
        unchanged = ast.parse(first.path.read_text("utf-8"))
        for inside in (True, False):
            if found := self._noticed(bench, first, unchanged, order, inside):
                raise SystemExit(f"{found} fails without any change")
        for number, one in enumerate(waiting):
            if time.monotonic() > until:
                return
            near = set().union(*(reached[str(one.path), line] for line in one.mutant.lines))
            inside = one.mutant.inside and bool(near)  # a function that no test reaches may run at import
            tests = [test for test in order if test in near or not inside]
            found = self._noticed(bench, one, one.mutant.tree, tests, inside)
            row = {"key": one.key, "group": self.name, "line": one.mutant.lines[0], "noticed_by": found}
            row |= {"source": self.sources[one.path], "tests": self.tests_digest}
            add(self.state, row)
            print(f"{number + 1}/{len(waiting)} {found or 'SURVIVED'} {one.key}", flush=True)

    def _noticed(
        self, bench: TestBench, one: Planned, tree: ast.Module, tests: list[str], inside: bool
    ) -> str | None:
        if inside and bench.can_take(one.path, tree):
            return bench.first_failure(one.path, tree, tests)
        return first_failure_anew(one.module, one.path, tree, [str(ROOT / test) for test in tests], ANEW)

    def _is_done(self, one: Planned) -> bool:
        row = self._latest.get((one.key, self.sources[one.path]))
        settled = one.key in equivalent_changes()
        return bool(row and (settled or row["noticed_by"] or row["tests"] == self.tests_digest))

    @property
    def _latest(self) -> dict[tuple[str, str], dict[str, Any]]:
        if not hasattr(self, "_rows"):
            self._rows = {(row["key"], row["source"]): row for row in rows(self.state)}
        return self._rows


def table(state: Path) -> dict[str, Any]:
    """Score of every group: noticed changes of those that can alter a result."""
    equivalent = equivalent_changes()
    latest = {(row["key"], row["source"]): row for row in rows(state)}
    groups: dict[str, Any] = {}
    for group in GROUPS:
        counts: Counter[str] = Counter()
        survivors = []
        for one in planned(group):
            row = latest.get((one.key, digest([one.path])))
            counts["changes"] += 1
            if row is None:
                counts["not tried"] += 1
            elif row["noticed_by"]:
                counts["noticed"] += 1
            elif one.key in equivalent:
                counts["equivalent"] += 1
            else:
                survivors.append(one.key)
        tried = counts["noticed"] + len(survivors)
        groups[group] = {**counts, "survived": len(survivors), "score": counts["noticed"] / max(1, tried)}
        groups[group]["survivors"] = sorted(survivors)
    return {"groups": groups}


@cache
def equivalent_changes() -> dict[str, str]:
    """Changes that cannot alter a result, each with its reason."""
    return dict(json.loads(EQUIVALENT.read_text("utf-8")))


def python_files(path: Path) -> Iterator[Path]:
    """A test file, or those of a folder."""
    yield from sorted(path.glob("*.py")) if path.is_dir() else [path]


def digest(files: list[Path]) -> str:
    """SHA-256 of files, short."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


if __name__ == "__main__":
    main()
