"""`handshift … | head`: a reader who leaves ends a command as it ends any other tool."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HANDSHIFT = [sys.executable, "-m", "handshift"]


def left_alone(*arguments: object, after: int) -> tuple[int, str]:
    """Run a command whose reader takes so many lines and leaves; its exit code and what it complained of."""
    command = shlex.join([*HANDSHIFT, *map(str, arguments)])
    script = f"{command} | head -n {after}; echo code ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=120)
    return int(done.stdout.rpartition("code ")[2]), done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["models"],
        ["study", "table", "toy-scribes"],
        ["study", "table", "toy-scribes", "--markdown"],
    ],
    ids=" ".join,
)
def test_a_command_nobody_reads_ends_quietly(arguments: list[str]) -> None:
    assert left_alone(*arguments, after=0) == (141, "")


def test_a_command_read_to_the_end_ends_as_ever() -> None:
    assert left_alone("models", after=1000) == (0, "")


def test_an_examination_nobody_reads_on_keeps_what_was_finished(letter: Path, tmp_path: Path) -> None:
    findings = tmp_path / "findings.json"
    options = ["--no-report", "--json", str(findings)]
    with subprocess.Popen(
        [*HANDSHIFT, "examine", letter, letter, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as examination:
        assert examination.stdout is not None
        assert examination.stdout.readline()
        examination.stdout.close()
        assert examination.wait(timeout=120) == 141
    assert json.loads(findings.read_text(encoding="utf-8"))["pages"]
