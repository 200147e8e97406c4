"""Commands run where POSIX-only modules are missing, as on Windows, and on consoles in other code pages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handshift.cli.exits import Exit
from handshift.corpus.scribes import demo_one_hand, save_page

HIDE = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "sched_getaffinity", "getuid", "geteuid", "mkfifo"):
    delattr(os, name)
"""
RUN = """
from handshift.cli import main
main()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there the modules are missing anyway")


def run(code: str, *arguments: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", HIDE + code, *arguments]
    return subprocess.run(command, capture_output=True, env=environment, timeout=300, check=False)


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "letter.png"
    save_page(demo_one_hand(), path)
    return path


def test_every_command_runs_without_posix_modules_on_consoles_in_other_code_pages(
    letter: Path, tmp_path: Path
):
    shutil.copy(letter, tmp_path)
    script = Path(__file__).parent / "every_command.py"
    command = [sys.executable, str(script), str(tmp_path), "cp1252", "cp949"]
    done = subprocess.run(command, capture_output=True, timeout=900, check=True, cwd=tmp_path)
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found["outcomes"]) == {"cp1252", "cp949"}
    for encoding, outcomes in found["outcomes"].items():
        # Arguments for a new command belong into every_command.py.
        assert sorted(outcomes) == sorted(found["commands"])
        for name, outcome in outcomes.items():
            # Done, or refused with one sentence; neither misused nor crashed.
            assert outcome["exit"] in (Exit.ALL_EXAMINED, Exit.NONE_EXAMINED, Exit.NOT_WRITTEN), (
                name,
                outcome,
            )
            assert "Traceback" not in outcome["said"], (name, encoding)
        ran = {name for name, outcome in outcomes.items() if outcome["exit"] == Exit.ALL_EXAMINED}
        assert {"examine", "hands", "verify", "enroll", "identify", "index", "find", "demo"} <= ran


@pytest.mark.parametrize("encoding", ["cp1252", "cp949"])
def test_a_page_is_examined_on_a_console_in_another_code_page(letter: Path, encoding: str):
    done = run(RUN, "examine", str(letter), encoding=encoding)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr.decode(encoding)
    assert b"letter.png" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["maps", "pretrain", "--width", "24", "--out", "encoder"], Exit.USAGE, "a multiple of 16"),
        (["maps", "pretrain", "--out", "letter.png"], Exit.NOT_WRITTEN, "a folder was wanted"),
        (["corpus", "draw", "letter.png"], Exit.NOT_WRITTEN, "a folder was wanted"),
        (["corpus", "split", ".", "--out", "splits"], Exit.NONE_EXAMINED, "no folder of a known database"),
    ],
)
def test_what_a_command_cannot_do_is_said_in_a_sentence(
    arguments: list[str], code: Exit, said: str, letter: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(letter.parent)
    done = run(RUN, *arguments)
    assert done.returncode == code
    assert said in done.stderr.decode()
