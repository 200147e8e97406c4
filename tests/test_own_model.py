"""docs/own-model.md, run as it stands: from word pictures to a verdict with a model of one's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "own-model.md"


def blocks(language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return "\n".join(found)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder in which the page's commands were run, and what they printed."""
    folder = tmp_path_factory.mktemp("desk")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["sh", "-e", "-c", blocks("sh")],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    return folder, run.stdout


def test_every_stage_leaves_its_files_and_prints_its_figures(desk: tuple[Path, str]) -> None:
    folder, printed = desk
    for left in ("embed/words.onnx", "vectors/words.parquet", "vectors.csv", "bags/bags.json"):
        assert (folder / "runs" / left).is_file()
    assert "rank 1" in printed and "TPR at FPR ≤ 1 %" in printed and "log10 LR" in printed


def test_the_model_says_what_it_reads_and_examines_a_folder_of_word_pictures(desk: tuple[Path, str]) -> None:
    folder, _ = desk
    card = json.loads((folder / "runs/my-model/card.json").read_text("utf-8"))
    assert card["reads"] == "word" and card["trained_on"].startswith("16 writers")
    (page,) = json.loads((folder / "findings.json").read_text("utf-8"))["pages"]
    assert page["path"] == "letter" and len(page["words"]) == 10
    assert page["scope"]["inside"] and page["log10_lr"] is not None


def test_python_gives_the_same_verdict(desk: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = desk
    monkeypatch.chdir(folder)
    session: dict[str, Any] = {}
    exec(blocks("python"), session)
    (page,) = json.loads((folder / "findings.json").read_text("utf-8"))["pages"]
    assert session["verdict"].log10_lr == pytest.approx(page["log10_lr"], abs=1e-6)
