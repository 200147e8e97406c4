"""Fuzzing of every reader in child processes: crashes, hangs, memory, and exceptions that are not ours."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "fuzz"))

SLOW = 10.0
"""Seconds of processor time after which a case counts as hung."""
LARGE = 1 << 30
"""Bytes that one case may add to the process."""
IN_WORKER = ("png", "jpeg", "tiff", "webp", "bmp", "pdf", "page-xml", "alto", "mets")
"""Readers that handshift runs in its decoding process. What ends the child is tried there again: it must
cost one error, and is counted as contained."""
BLOCK = 1900
"""Cases of one child: its imports take as long as some hundred to a thousand cases."""


def readers() -> list[str]:
    """Every reader, by name."""
    from reader_targets import TARGETS

    return list(TARGETS)


def blocks(cases: int, done: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Every reader's cases in blocks: name, first case, end.

    Args:
        cases: Cases wanted of every reader.
        done: Cases that every reader has.
    """
    reached = {name: done.get(name, 0) for name in readers()}
    while min(reached.values()) < cases:
        for name, start in reached.items():
            if start < cases:
                reached[name] = min(start + BLOCK, cases)
                yield name, start, reached[name]


def run_block(name: str, start: int, end: int) -> dict[str, Any]:
    """Run cases in a child; a case that ends the child is noted, and the next child goes on after it."""
    found: dict[str, Any] = {"reader": name, "start": start, "end": end, "cases": 0, "refused": 0}
    found |= {"crashes": [], "hangs": [], "contained": [], "large": [], "foreign": []}
    while start < end:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, name, str(start), str(end), folder]
            # By the clock only as a net: a busy machine stretches it.
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
                code, errors = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                code, errors = -signal.SIGXCPU, ""
            last = json.loads((Path(folder) / "state").read_text())
        for key in ("cases", "refused"):
            found[key] += last[key]
        for key in ("large", "foreign"):
            found[key] += last[key]
        if code == 0:
            break
        if last["case"] is None:
            raise RuntimeError(f"{name}: the child did not start\n{errors}")
        found["cases"] += 1
        if name in IN_WORKER and (said := _error_of_worker(name, last["case"])):
            found["contained"].append([last["case"], code, said])
        else:
            hung = code in (-signal.SIGXCPU, -signal.SIGPROF)
            found["hangs" if hung else "crashes"].append([last["case"], code])
        start = last["case"] + 1
    return found


def _error_of_worker(name: str, case: int) -> str | None:
    """Read a case as handshift does, in its decoding process: what is said of it; None if that fails."""
    import numpy as np
    from mutation import mutated, seed_of
    from reader_targets import TARGETS

    from handshift.core.errors import PageError
    from handshift.page.decode_worker import isolated_mets, isolated_pages, isolated_segmentation

    with tempfile.TemporaryDirectory() as folder:
        path = TARGETS[name].prepare(Path(folder))
        path.write_bytes(mutated(TARGETS[name].corpus, np.random.default_rng(seed_of(name, case))))
        try:
            match name:
                case "mets":
                    return str(isolated_mets(path))
                case "page-xml" | "alto":
                    return str(isolated_segmentation(path.with_suffix(".png")))
                case _:
                    pages = [page for page in isolated_pages(path) if isinstance(page, PageError)]
                    return pages[0].problem if pages else "read"
        except PageError as error:
            return error.problem
        except Exception:  # what the benchmark looks for
            return None


def main(name: str, start: int, end: int, folder: Path) -> None:
    """The child: one case after the other, the state of each in a file before it is begun."""
    import numpy as np
    from mutation import mutated, seed_of
    from reader_targets import TARGETS

    from handshift.core.errors import HandshiftError

    warnings.simplefilter("ignore")
    target = TARGETS[name]
    path = target.prepare(folder)
    state: dict[str, Any] = {"case": None, "cases": 0, "refused": 0, "large": [], "foreign": []}
    place = folder / "state"
    place.write_text(json.dumps(state))
    for content in target.corpus[:1]:  # imports are not counted as a case's time or memory
        path.write_bytes(content)
        with suppress(HandshiftError):
            target.read(path)
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    for case in range(start, end):
        path.write_bytes(mutated(target.corpus, np.random.default_rng(seed_of(name, case))))
        state["case"] = case
        place.write_text(json.dumps(state))
        before = _peak()
        signal.setitimer(signal.ITIMER_PROF, SLOW)  # by processor time; its signal ends the process
        try:
            target.read(path)
        except HandshiftError:
            state["refused"] += 1
        except Exception as error:  # what the benchmark looks for
            state["foreign"].append([case, f"{type(error).__name__}: {error}"[:200]])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if _peak() - before > LARGE:
            state["large"].append(case)
        state["cases"] += 1
    place.write_text(json.dumps(state))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
