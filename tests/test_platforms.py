"""Commands run where POSIX-only modules are missing, as on Windows, and on consoles in other code pages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from handshift.corpus.scribes import demo_one_hand, save_page

HIDE = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "sched_getaffinity", "getuid", "geteuid", "mkfifo"):
    delattr(os, name)
"""
LOAD_COMMANDS = """
from handshift.cli.lazy import COMMANDS, load
for name in COMMANDS:
    load(name)
print(len(COMMANDS))
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


def test_every_command_can_be_loaded_without_posix_modules():
    done = run(LOAD_COMMANDS)
    assert done.returncode == 0, done.stderr.decode()
    assert int(done.stdout) >= 17


def test_a_person_is_enrolled_and_identified_without_posix_modules(letter: Path, tmp_path: Path):
    gallery = str(tmp_path / "gallery")
    done = run(RUN, "enroll", "Ada", str(letter), "--gallery", gallery)
    assert done.returncode == 0, done.stderr.decode()
    done = run(RUN, "identify", str(letter), "--gallery", gallery)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Ada" in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "cp949"])
def test_a_page_is_examined_on_a_console_in_another_code_page(letter: Path, encoding: str):
    done = run(RUN, "examine", str(letter), encoding=encoding)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr.decode(encoding)
    assert b"letter.png" in done.stdout
