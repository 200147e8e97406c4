"""Benchmarks write their provenance, and refuse code that differs from its commit."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from handshift.study import provenance

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path for path in (ROOT / "benchmarks").glob("*.py") if "def main()" in path.read_text("utf-8")
)


@pytest.fixture
def result_file(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("result_file")


def test_a_draft_is_marked_and_has_its_command(
    result_file: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "found.json"
    monkeypatch.setattr(sys, "argv", ["speed.py", "--draft", "--rounds", "3", "--out", str(out)])
    benchmark = result_file.Benchmark("benchmarks/speed.py", "Speed of nothing.")
    benchmark.options.add_argument("--rounds", type=int, default=5)
    benchmark.options.add_argument("--steps", type=int, default=5)
    assert benchmark.begin().rounds == 3
    benchmark.write({"ratio": 1.0})
    found = json.loads(out.read_text())
    assert found["command"] == "python benchmarks/speed.py --rounds 3"
    assert found["ratio"] == 1.0
    assert found["provenance"]["origin"]["draft"]
    assert found["provenance"]["origin"]["machine"]["cores"] >= 1


def test_changed_code_is_refused_before_anything_is_measured(
    result_file: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "changed_files", lambda root: ("src/handshift/new.py",))
    monkeypatch.setattr(provenance, "_repository", lambda package: ROOT)
    monkeypatch.setattr(provenance, "_git", lambda *words: "a" * 40)
    monkeypatch.setattr(sys, "argv", ["speed.py"])
    with pytest.raises(provenance.DirtyTreeError, match=r"new\.py"):
        result_file.Benchmark("benchmarks/speed.py", None).begin()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_benchmark_writes_by_the_same_module(script: Path) -> None:
    text = script.read_text("utf-8")
    assert "benchmark.begin()" in text
    assert "benchmark.write(" in text
    assert "write_text(given.out" not in text
