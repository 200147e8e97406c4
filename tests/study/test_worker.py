"""A worker of a study ends with its runner, even one that was killed while the worker started."""

from __future__ import annotations

import subprocess
import sys

ORPHAN = """
import time
from handshift.study.runner import become_worker

become_worker(1, runner={runner})
time.sleep(60)
"""


def test_a_worker_whose_runner_has_ended_before_it_began_ends() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    orphan = subprocess.run([sys.executable, "-c", ORPHAN.format(runner=ended.pid)], timeout=30, check=False)
    assert orphan.returncode == 1
