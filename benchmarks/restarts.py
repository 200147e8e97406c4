"""Restart after kill -9 at a random moment, many times: the store that is left equals one never interrupted.

Pages are drawn by scribes. In each round `handshift index` begins a store, is killed with its workers at a
random moment before its end, and is run again to its end. Segments are compared byte by byte.
Example: python benchmarks/restarts.py --kills 20 --pages 16
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from result_file import Benchmark

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page

TEXT = "the parcel you sent on Friday came this morning with the post van and all was whole and dry"
SMALL_SEGMENTS = (
    "from handshift.store import archive_store\n"
    "archive_store.SEGMENT_PAGES = 2\n"
    "from handshift.cli import main\n"
    "if __name__ == '__main__': main()"
)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--kills", type=int, default=20)
    benchmark.options.add_argument("--pages", type=int, default=16)
    given = benchmark.begin()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "scans").mkdir()
        for number in range(given.pages):
            layout = Layout(width_mm=140.0, height_mm=110.0)
            page = draw_page([Passage(Scribe(number % 5), TEXT)], seed=number, layout=layout)
            save_page(page, place / "scans" / f"{number:03d}.png")
        start = time.perf_counter()
        subprocess.run(_command(place, "whole"), check=True, capture_output=True)
        whole = time.perf_counter() - start
        expected, rng = _content(place / "whole"), random.Random(0)
        moments: list[float] = []
        equal = 0
        while len(moments) < given.kills:
            store = f"killed-{len(moments)}"
            share = rng.uniform(0.1, 1.0)
            if not _killed_after(share * whole, _command(place, store)):
                shutil.rmtree(place / store)  # it ended first: this was no restart
                continue
            moments.append(round(share, 2))
            subprocess.run(_command(place, store), check=True, capture_output=True)
            equal += _content(place / store) == expected
            print(f"kill {len(moments)}: {equal} equal", flush=True)
        benchmark.write(
            {
                "pages": given.pages,
                "segments": len(expected),
                "seconds_uninterrupted": round(whole, 1),
                "kills": len(moments),
                "killed_after_share_of_time": moments,
                "equal": equal,
            }
        )


def _command(place: Path, store: str) -> list[str]:
    arguments = ["index", str(place / "scans"), "--store", str(place / store), "--workers", "1"]
    return [sys.executable, "-c", SMALL_SEGMENTS, *arguments]


def _killed_after(seconds: float, command: list[str]) -> bool:
    """Kill the command and its workers after some seconds; False if it ended before."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def _content(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.glob("segment-*.parquet")}


if __name__ == "__main__":
    main()
