"""`handshift maps watch` killed in the middle and started again, beside a run that was left alone."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from watch_simulated import MAPS, trained, watched

from handshift.healthmap.simulate.parameters import Condition

SEED, KILLS, PATIENCE = 42, 3, 900.0
EACH = MAPS // (KILLS + 1)
"""Maps between two kills."""


def killed_and_whole(home: Path) -> dict[str, Any]:
    """Kill the command three times (SIGKILL); compare its log with that of one call.

    Args:
        home: Empty folder to work in.

    Returns:
        Kills, lines when each came, and whether both logs are equal byte by byte.
    """
    model = trained(home, "row-column", Condition.WARM, SEED)
    watched(model, home / "failing", MAPS // 2, Condition.WARM, SEED)
    log = home / "out" / "watch.jsonl"
    lines = [_killed_after(_command(home), log, EACH * (kill + 1)) for kill in range(KILLS)]
    subprocess.run([*_command(home), "--once"], check=True, capture_output=True)
    whole = (home / "failing.watched" / "watch.jsonl").read_bytes()
    return {"kills": KILLS, "maps_when_killed": lines, "equal": log.read_bytes() == whole}


def _command(home: Path) -> list[str]:
    words = ["maps", "watch", home / "model", home / "failing", "--out", home / "out", "--every", 1]
    return [sys.executable, "-m", "handshift", *map(str, words)]


def _killed_after(command: list[str], log: Path, count: int) -> int:
    """Start the command and kill it once its log has ``count`` maps."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = time.monotonic()
    while _maps(log) < count and process.poll() is None and time.monotonic() - started < PATIENCE:
        time.sleep(0.005)
    process.kill()
    process.wait()
    return _maps(log)


def _maps(log: Path) -> int:
    return max(0, log.read_bytes().count(b"\n") - 1) if log.exists() else 0
