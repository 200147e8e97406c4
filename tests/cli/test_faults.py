"""A full, read-only or failing disk, a clock that jumps, a kill at any sync: nothing is lost."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handshift.cli.exits import Exit
from handshift.embedding.gallery import Gallery
from handshift.healthmap.health_map import encode_map

FAULTS = ["ENOSPC", "EROFS", "EIO"]
COMMANDS = ["examine", "hands", "enroll", "identify", "maps score"]
MOMENTS = (0.0, 0.5, 1.0)
"""Of all syncs of a run, the first, the middle, the last."""


class Desk:
    """The commands on small inputs, and what each of them leaves behind."""

    def __init__(self, run: Callable[..., Any], pages: Path, model: str, maps: Path) -> None:
        self.run, self.model, self.maps = run, model, maps
        self.scans = [pages / f"scribe-{number}" / "a.png" for number in (1, 2)]
        torn = Path("torn.png")
        torn.write_bytes(b"\x89PNG\r\n\x1a\n torn")
        self.given = [*self.scans, torn.absolute()]

    def arguments(self, command: str, out: Path) -> list[object]:
        of_model = ["--model", self.model]
        match command:
            case "examine":
                return [command, *self.given, "--json", out / "a.json", "--out", out / "report", *of_model]
            case "hands":
                return [command, *self.given, "--json", out / "a.json", *of_model]
            case "enroll":
                return [command, "Ann", *self.scans, "--gallery", out / "gallery", *of_model]
            case "identify":
                if not Path("known").exists():
                    self.run("enroll", "Ann", *self.scans, "--gallery", "known", *of_model)
                return [command, *self.scans, "--gallery", "known", "--json", out / "a.json", *of_model]
            case _:
                return ["maps", "score", self.maps / "model", self.maps / "new", "--json", out / "a.json"]

    def finish(self, command: str, out: Path) -> Any:
        done = self.run(*self.arguments(command, out))
        assert done.code in (Exit.ALL_EXAMINED, Exit.SOME_FAILED, Exit.OUT_OF_SCOPE), done.err
        if command == "enroll":
            gallery = Gallery.load(out / "gallery")
            return [gallery.entries, gallery.vectors.tolist()]
        content = json.loads((out / "a.json").read_text())
        assert content.get("complete", True)
        return content.get("pages", content.get("maps"))


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detector of health maps, and maps to score."""
    from typer.testing import CliRunner

    from handshift.cli.maps import app

    folder = tmp_path_factory.mktemp("maps")
    random = np.random.default_rng(3)
    for name, count in (
        ("set/A/train/good", 12),
        ("set/A/test/good", 2),
        ("set/A/test/fault", 2),
        ("new", 4),
    ):
        (folder / name).mkdir(parents=True)
        for number in range(count):
            path = folder / name / f"{number}.tif"
            path.write_bytes(encode_map(0.2 * np.exp(0.2 * random.standard_normal((31, 95))), path))
    options = ["--detector", "pca", "--false-alarms", "0.5"]
    made = CliRunner().invoke(app, ["train", str(folder / "set"), "--out", str(folder / "model"), *options])
    assert made.exit_code == 0, made.output
    return folder


@pytest.fixture
def desk(run, pages, tiny_model, maps) -> Desk:
    return Desk(run, pages, tiny_model, maps)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_failing_disk_is_one_error_and_the_same_command_goes_on(command, desk, disk):
    Path("whole").mkdir()
    desk.arguments(command, Path("whole"))
    disk.mend()
    expected = desk.finish(command, Path("whole"))
    total = disk.syncs
    assert total > 1, "nothing was synced"
    for fault, moment in zip(FAULTS, MOMENTS, strict=True):
        out = Path(fault)
        out.mkdir()
        at = 1 + round(moment * (total - 1))
        disk.fail(fault, at)
        done = desk.run(*desk.arguments(command, out))
        disk.mend()
        assert done.code not in (Exit.ALL_EXAMINED, 70), f"{fault} at sync {at} went unnoticed: {done.err}"
        assert "Traceback" not in done.err and "cannot be written" in done.err
        assert not list(out.rglob("*.part")), fault
        assert desk.finish(command, out) == expected, f"{fault} at sync {at}"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is ended in the middle")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_process_that_ends_at_any_sync_is_continued_to_the_same_end(command, desk, disk):
    Path("whole").mkdir()
    expected = desk.finish(command, Path("whole"))
    random = np.random.default_rng(len(command))
    out = Path("killed")
    out.mkdir()
    for at in random.integers(1, disk.syncs + 1, 2):
        arguments = desk.arguments(command, out)
        child = os.fork()
        if not child:
            disk.kill(int(at))
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
            try:
                desk.run(*arguments)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    assert desk.finish(command, out) == expected
    assert not list(out.rglob("*.part"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_clock_that_jumps_changes_nothing(command, desk, monkeypatch):
    Path("whole").mkdir()
    Path("jumping").mkdir()
    expected = desk.finish(command, Path("whole"))
    now = [time.time()]

    def jumping() -> float:
        now[0] += 86400.0 * (400 if int(now[0]) % 2 else -399)
        return now[0]

    monkeypatch.setattr(time, "time", jumping)
    assert desk.finish(command, Path("jumping")) == expected
