"""`examine` in several processes: the findings of one process, and the journal of one process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from drawn_corpus import FINDINGS, draw_corpus
from killed_run import KILL_AFTER

from handshift.cli.exits import Exit
from handshift.report import findings_parts


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_corpus(tmp_path_factory.mktemp("corpus"), pages=6)


def command(*arguments: object, code: str = "") -> list[str]:
    lines = (
        "from handshift.report import findings_parts",
        "findings_parts.PART_PAGES = 2",
        "from handshift.cli import main",
        f"if __name__ == '__main__':{code.replace(chr(10), chr(10) + '    ')}",
        "    main()",
    )
    return [sys.executable, "-c", "\n".join(lines), "examine", *map(str, arguments)]


def run(*arguments: object, code: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, code=code), capture_output=True, text=True, timeout=600, check=False
    )


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

    dies = run(corpus, "--parquet", killed, "--workers", 2, code=KILL_AFTER.format(pages=3, signal="SIGKILL"))
    assert dies.returncode < 0
    assert len(list(killed.glob("part-*"))) == 1
    done = run(corpus, "--parquet", killed, "--workers", 2)
    assert done.returncode == Exit.SOME_FAILED, done.stderr
    assert "3 pages of an earlier attempt kept" in done.stderr
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


def test_parts_behind_a_url_are_those_of_a_folder(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_CACHE", str(tmp_path / "cache"))  # the journal of such a run lies there
    page = next(corpus.glob("*.png"))
    for place in (tmp_path / "folder", f"file://{tmp_path}/url"):
        done = run(page, "--parquet", place)
        assert done.returncode in (Exit.ALL_EXAMINED, Exit.OUT_OF_SCOPE), done.stderr
    parts = [(tmp_path / name / "part-00000.parquet").read_bytes() for name in ("folder", "url")]
    assert parts[0] == parts[1]
