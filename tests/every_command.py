"""Runs every command of handshift in this process, where POSIX-only modules are missing; prints one JSON.

The commands are those of the parser, so that a new one without arguments here is noticed.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

HIDDEN = ("fcntl", "resource", "pwd", "grp", "termios", "tty")
HIDDEN_IN_OS = ("fork", "sched_getaffinity", "getuid", "geteuid", "mkfifo")


def arguments(letter: Path, folder: Path) -> dict[str, list[object]]:
    """Arguments of every command: a small run where it takes a second, else an input that it must refuse.

    Args:
        letter: A page of writing.
        folder: A new folder for inputs and results.
    """
    empty, out, gallery = folder / "empty", folder / "out", folder / "gallery"
    found, text = folder / "found.json", folder / "notes.txt"
    empty.mkdir()
    text.write_text("no recording", "utf-8")
    return {
        "examine": [letter, "--json", found, "--no-report"],
        "demo": ["--out", out / "demo"],
        "hands": [letter],
        "report": [found, "--out", out / "report"],
        "words": [letter],
        "verify": [letter, letter],
        "enroll": ["Ada", letter, "--gallery", gallery],
        "identify": [letter, "--gallery", gallery],
        "index": [letter, "--store", out / "store", "--workers", 1],
        "find": [letter, "--store", out / "store"],
        "clusters": ["--store", out / "store"],
        "serve": ["--folder", letter, "--no-browser"],
        "log verify": [text],
        "scribe": ["--out", out / "drawn.png"],
        "models show": ["words-4"],
        "models scope": ["words-4", "--data", empty],
        "models marks": [out / "marks.onnx", "--data", empty],
        "corpus list": [empty],
        "corpus split": [empty, "--out", out / "splits"],
        "corpus cut": [empty, "--out", out / "cut"],
        "corpus embed": [empty, "--words", empty, "--network", text, "--out", out / "vectors"],
        "corpus draw": [text],
        "train detect": ["--out", out / "detect", "--vectors", text],
        "train join": [text, "--words", empty, "--split", text, "--out", out / "joined"],
        "train export": [empty, "--out", out / "network.onnx"],
        "train embed": ["--data", empty, "--out", out / "runs"],
        "bags": [text, "--out", out / "bags.npz"],
        "clean": [empty, "--out", out / "clean"],
        "invert": [empty, "--out", out / "inverted", "--writer", "a"],
        "embed": [empty, "--out", out / "embedded.npz"],
        "evaluate": [text],
        "calibrate": ["--model", "words-4", "--data", empty, "--out", out / "calibrated"],
        "validate": ["--data", empty],
        "study run": [text],
        "study status": [text],
        "study table": [empty],
        "study report": [empty],
        "study import": [text, "--baseline", "a"],
        "maps simulate": [out / "gearbox", "--train", 4, "--test", 2],
        "maps signal": [out / "signal.npz", "--seconds", 4],
        "maps build": [text, "--out", out / "built"],
        "maps spectrum": [text, "--out", out / "spectrum.png"],
        "maps train": [empty, "--out", out / "detector"],
        "maps score": [empty, text],
        "maps watch": [empty, empty, "--out", out / "watched.json"],
        "maps degrade": [out / "degraded", "--maps", 4, "--onset", 2],
        "maps pretrain": ["--out", text],
    }


def commands() -> Iterator[str]:
    """All commands of the parser, those of groups with their group's name."""
    from handshift.cli.lazy import COMMANDS, load

    for name in COMMANDS:
        yield from _leaves(load(name), name)


def _leaves(command: Any, name: str) -> Iterator[str]:
    import click

    if not hasattr(command, "list_commands"):
        yield name
        return
    context = click.Context(command)
    for inner in command.list_commands(context):
        yield from _leaves(command.get_command(context, inner), f"{name} {inner}")


def run(name: str, given: list[object], encoding: str) -> dict[str, Any]:
    """Exit code of a command, and what it printed on a console of this encoding."""
    from handshift.cli import main

    console = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    sys.argv = ["handshift", *name.split(), *map(str, given)]
    code: object = 0
    with redirect_stdout(console), redirect_stderr(console):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        console.flush()
    return {"exit": code, "said": console.buffer.getvalue().decode(encoding)}


def every_command(folder: Path, encodings: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Outcomes of every command of the parser, on consoles of these encodings."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for encoding in encodings:
        place = folder / encoding
        place.mkdir()
        given = arguments(folder / "letter.png", place)
        found[encoding] = {name: run(name, given[name], encoding) for name in commands() if name in given}
    return found


if __name__ == "__main__":
    for module in HIDDEN:
        sys.modules[module] = None  # type: ignore[assignment]
    for function in HIDDEN_IN_OS:
        delattr(os, function)
    outcomes = every_command(Path(sys.argv[1]), sys.argv[2:])
    print(json.dumps({"commands": list(commands()), "outcomes": outcomes}))
