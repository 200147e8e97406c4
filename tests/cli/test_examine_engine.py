"""`examine` in several processes: the findings of one process, and the journal of one process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from drawn_corpus import FINDINGS, draw_corpus

from handshift.cli.exits import Exit
from handshift.report import findings_parts


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_corpus(tmp_path_factory.mktemp("corpus"), pages=6)


def command(*arguments: object, part_pages: int = 2) -> list[str]:
    code = (
        "from handshift.report import findings_parts\n"
        f"findings_parts.PART_PAGES = {part_pages}\n"
        "from handshift.cli import main\n"
        "if __name__ == '__main__': main()"
    )
    return [sys.executable, "-c", code, "examine", *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=600, check=False)


def pages_of(path: Path) -> list[dict[str, object]]:
    return list(json.loads(path.read_text())["pages"])


def test_several_processes_find_what_one_finds(corpus: Path, tmp_path: Path):
    one = run(corpus, "--no-report", "--json", tmp_path / "one.json")
    two = run(corpus, "--no-report", "--json", tmp_path / "two.json", "--workers", 2)
    assert one.returncode == two.returncode == Exit.SOME_FAILED, two.stderr
    assert one.stdout == two.stdout
    found = pages_of(tmp_path / "two.json")
    assert [page["status"] for page in found] == ["examined"] * 6 + ["blank", "examined", "failed"]
    for mine, theirs in zip(pages_of(tmp_path / "one.json"), found, strict=True):
        assert {name: mine[name] for name in FINDINGS} == {name: theirs[name] for name in FINDINGS}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_killed_corpus_run_is_continued_to_the_same_parts(corpus: Path, tmp_path: Path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert run(corpus, "--parquet", whole, "--workers", 2).returncode == Exit.SOME_FAILED
    names = sorted(path.name for path in whole.iterdir())
    assert names[:2] == ["_run.json", "part-00000.parquet"] and len(names) >= 4
    table = pq.read_table(whole)
    assert table.num_rows == 9
    assert set(table.column("status").to_pylist()) == {"examined", "blank", "failed"}

    process = subprocess.Popen(
        command(corpus, "--parquet", killed, "--workers", 2),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 300
    while not (killed / "part-00000.parquet").exists() and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert len(list(killed.glob("part-*"))) < len(list(whole.glob("part-*")))
    done = run(corpus, "--parquet", killed, "--workers", 2)
    assert done.returncode == Exit.SOME_FAILED, done.stderr
    assert "of an earlier attempt kept" in done.stderr
    parts = sorted(path.name for path in whole.glob("part-*"))
    assert parts == sorted(path.name for path in killed.glob("part-*"))
    assert all((whole / name).read_bytes() == (killed / name).read_bytes() for name in parts)
    assert not (killed / ".journal").exists()


def test_parts_of_other_settings_are_not_mixed(corpus: Path, tmp_path: Path):
    page = next(corpus.glob("*.png"))
    examined = (Exit.ALL_EXAMINED, Exit.OUT_OF_SCOPE)
    assert run(page, "--parquet", tmp_path / "out").returncode in examined
    other = run(page, "--parquet", tmp_path / "out", "--lang", "ko")
    assert other.returncode not in examined and "--no-resume" in other.stderr
    assert run(page, "--parquet", tmp_path / "out", "--lang", "ko", "--no-resume").returncode in examined
    assert findings_parts.PART_PAGES == 500
