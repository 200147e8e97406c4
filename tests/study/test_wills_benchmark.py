"""The benchmark on wills keeps its testators apart and knows whose words are whose."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from handshift.page.word import Box

ROOT = Path(__file__).parents[2]


@pytest.fixture
def wills(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("wills")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = [f"T{number}/T{number}_0.jpg" for number in range(5)]
    rows = [f"{page},{page[:2]},0" for page in pages]
    (tmp_path / "manifest.csv").write_text("path,writer,page\n" + "\n".join(rows) + "\n", "utf-8")
    lines = [f"{page},{page[:2]},0,10,20,200,40" for page in pages]
    (tmp_path / "lines.csv").write_text("path,writer,line,x,y,w,h\n" + "\n".join(lines) + "\n", "utf-8")
    return tmp_path


def test_no_testator_is_both_worked_on_and_measured(wills: ModuleType, folder: Path) -> None:
    work, test = ({will.testator for will in wills.read_wills(folder, part)} for part in ("work", "test"))
    assert work == {"T1", "T3"}
    assert test == {"T0", "T2", "T4"}


def test_words_outside_of_the_testators_lines_are_by_others(wills: ModuleType, folder: Path) -> None:
    will = next(iter(wills.read_wills(folder, "work")))
    assert will.wrote(Box(30, 25, 40, 20))
    assert not will.wrote(Box(30, 90, 40, 20))


def test_what_others_wrote_is_painted_over(wills: ModuleType, folder: Path) -> None:
    will = next(iter(wills.read_wills(folder, "work")))
    page = np.full((400, 400, 3), 230, np.uint8)
    page[30:34, 40:80] = page[300:304, 40:80] = 20
    alone = will.alone(page)
    assert (alone[30:34, 40:80] == 20).all()
    assert alone[290:310].min() > 200
