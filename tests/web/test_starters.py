"""The starters: each is there, the scripts parse, and that for Linux starts what is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

STARTERS = Path(__file__).parents[2] / "starters"


@pytest.mark.parametrize("name", ["handshift-linux.sh", "handshift-macos.command"])
def test_the_scripts_parse(name: str) -> None:
    shell = shutil.which("sh")
    if shell is None:
        pytest.skip("needs a POSIX shell")
    assert subprocess.run([shell, "-n", str(STARTERS / name)], check=False).returncode == 0
    assert os.access(STARTERS / name, os.X_OK)


def test_what_was_not_tried_says_so() -> None:
    for name in ("handshift-macos.command", "handshift-windows.bat", "Containerfile"):
        assert "Untried" in (STARTERS / name).read_text("utf-8"), name


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell script")
def test_a_second_start_needs_no_network(tmp_path: Path) -> None:
    bin_folder = tmp_path / "handshift-app" / "bin"
    bin_folder.mkdir(parents=True)
    installed = bin_folder / "handshift"
    installed.write_text('#!/bin/sh\necho "started: $*"\n')
    installed.chmod(0o755)
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    command = ["sh", str(STARTERS / "handshift-linux.sh")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "started: serve"
