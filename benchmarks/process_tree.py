"""Processor time and memory of this process and everything below it, from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path

ELSEWHERE: set[int] = set()
"""Processes that count too though they left the tree, such as those of Ray's nodes."""


def descendants() -> list[Path]:
    """/proc of this process and everything below it."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    ours = {os.getpid(), *ELSEWHERE}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return [Path("/proc") / str(pid) for pid in ours]


def processor_seconds() -> float:
    """User and system time, of children that have ended too."""
    total = 0
    for process in descendants():
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def resident_megabytes() -> float:
    """Resident memory; pages that processes share count for each."""
    total = 0
    for process in descendants():
        try:
            total += int((process / "statm").read_text().split()[1])
        except OSError:
            continue
    return total * os.sysconf("SC_PAGE_SIZE") / 2**20


class Tenths:
    """The most resident megabytes around the end of each tenth of a run: a page in hand makes it jump."""

    def __init__(self, pages: int) -> None:
        self._tenth, self._now = max(1, pages // 10), 0.0
        self.most: list[float] = []

    def note(self, done: int) -> None:
        """After each page."""
        rest = done % self._tenth
        if rest == 0 or rest > self._tenth - 5:
            self._now = max(self._now, resident_megabytes())
        if rest == 0:
            self.most.append(round(self._now, 1))
            self._now = 0.0


MOST_OTHERS = 0.1
"""Cores that other processes may take while time is measured."""


class OtherProcesses:
    """The cores that others took since it was made, a hypervisor included; None without /proc."""

    def __init__(self) -> None:
        self._before, self._begun = _seconds_of_others(), time.perf_counter()

    def cores(self) -> float | None:
        """On average."""
        now = _seconds_of_others()
        if now is None or self._before is None:
            return None
        return round(max(0.0, now - self._before) / (time.perf_counter() - self._begun), 3)

    def quiet(self) -> bool:
        """Whether times mean something; not where it is not known."""
        cores = self.cores()
        return cores is not None and cores <= MOST_OTHERS


def _seconds_of_others() -> float | None:
    """Busy time of all cores since the machine started (not idle, not waiting for a disk), less ours."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, fields)
    ticks = user + nice + system + interrupts + soft + stolen
    return ticks / os.sysconf("SC_CLK_TCK") - processor_seconds()
