"""Runs a command in this process and returns what it prints."""

from __future__ import annotations

from typer.testing import CliRunner

from handshift.cli import app


def handshift(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output if result.exception is None else repr(result.exception)
    return result.output
