"""The bundled pages are examined as they were when the record was made; record again for a new model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import handshift
from handshift.cli import app

RECORD = json.loads((Path(__file__).parent / "demo-record.json").read_text("utf-8"))
DEMO = Path(handshift.__file__).parent / "demo"
PAGES = ["one-hand.png", "two-hands.png"]


def test_examine_finds_what_it_found_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    found = _run(["examine", *PAGES, "--no-report"], tmp_path)["pages"]
    assert len(found) == len(RECORD["examine"])
    for page, recorded in zip(found, RECORD["examine"], strict=True):
        _assert_equal(page, recorded, page["path"])


def test_hands_finds_what_it_found_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    _assert_equal(_run(["hands", *PAGES], tmp_path), RECORD["hands"], "hands")


def _run(arguments: list[str], folder: Path) -> Any:
    path = folder / "found.json"
    ended = CliRunner().invoke(app, [*arguments, "--json", str(path)])
    assert ended.exit_code == 0, ended.output
    return json.loads(path.read_text("utf-8"))


def _assert_equal(found: Any, recorded: Any, where: str) -> None:
    """Every recorded field is there with its value: floats to 1e-5, all else exactly. Fields may be added."""
    if isinstance(recorded, dict):
        for name, value in recorded.items():
            assert name in found, f"{where}.{name} is missing"
            _assert_equal(found[name], value, f"{where}.{name}")
    elif isinstance(recorded, list):
        assert len(found) == len(recorded), where
        for index, (one, other) in enumerate(zip(found, recorded, strict=True)):
            _assert_equal(one, other, f"{where}[{index}]")
    elif isinstance(recorded, float):
        assert found == pytest.approx(recorded, abs=1e-5), where
    else:
        assert found == recorded, where
