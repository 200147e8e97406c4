"""The commands that clean and invert tell what they need before they do any work."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from handshift.cli import app
from handshift.core.errors import HandshiftError


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["clean", "nowhere", "--out", "out"], "no such folder"),
        (["clean", "nowhere", "--out", "out", "--cut", "leaf"], "choose page, word or picture"),
        (["clean", "nowhere", "--out", "out", "--accelerator", "abacus"], "cpu, cuda, mps"),
        (["invert", "nowhere", "--writer", "3", "--out", "out"], "no training"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_written(tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, HandshiftError) and told in str(result.exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["clean", "invert"])
def test_help_comes_without_waiting_for_torch(command):
    code = (
        "import sys; from handshift.cli import app; from typer.testing import CliRunner; "
        f"told = CliRunner().invoke(app, ['{command}', '--help']).output; "
        "assert '--out' in told, told; assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
