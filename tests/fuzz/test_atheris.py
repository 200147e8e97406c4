"""The coverage-guided targets start, follow coverage from the kept corpora, and find nothing at once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from reader_targets import CORPUS, TARGETS

TRIED = ["findings", "gallery", "alto", "journal"]
"""Of the readers in Python, whose coverage atheris sees; fuzz_reader.py says how to try the others."""
SECONDS = 3


@pytest.mark.parametrize("reader", TRIED)
def test_a_target_runs_for_some_seconds_without_a_crash(reader: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="has wheels for Linux alone")
    script = Path(__file__).with_name("fuzz_reader.py")
    command = [sys.executable, str(script), reader, f"-max_total_time={SECONDS}", "-seed=1", "-runs=3000"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    runs = re.search(r"Done (\d+) runs", done.stderr)
    assert runs and int(runs[1]) > 10, done.stderr[-2000:]
    assert not list(tmp_path.glob("crash-*"))
    assert "cov: " in done.stderr


def test_every_kept_corpus_belongs_to_a_reader_and_is_small() -> None:
    for folder in CORPUS.iterdir():
        assert folder.name in TARGETS
        assert all(path.stat().st_size < 10_000 for path in folder.iterdir())
