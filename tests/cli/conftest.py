"""The command line run as a user runs it, but within the test's process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from handshift.cli import main
from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str


Run = Callable[..., Finished]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Finished]:
    """Run handshift in an empty folder, and tell its exit code and what it printed."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")

    def handshift(*arguments: object) -> Finished:
        monkeypatch.setattr(sys, "argv", ["handshift", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return Finished(int(exit_.value.code or 0), out, err)

    return handshift


@pytest.fixture(scope="session")
def letter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short letter by one synthetic scribe."""
    path = tmp_path_factory.mktemp("letters") / "letter.png"
    save_page(draw_page([Passage(Scribe(3), " ".join(ENGLISH.split()[:24]))], seed=1), path)
    return path
