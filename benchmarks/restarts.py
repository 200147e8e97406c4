"""Restart after kill -9 at a random moment, many times: the store that is left equals one never interrupted.

Pages are drawn by scribes. Each attempt runs `handshift index` until a random moment and is killed with all
its workers; the last one runs to its end. Segments are compared byte by byte.
Example: python benchmarks/restarts.py --kills 20 --pages 40
"""

from __future__ import annotations

import os
import random
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
    "archive_store.SEGMENT_PAGES = 4\n"
    "from handshift.cli import main\n"
    "if __name__ == '__main__': main()"
)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--kills", type=int, default=20)
    benchmark.options.add_argument("--pages", type=int, default=40)
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
        kills, rng = 0, random.Random(0)
        while kills < given.kills:
            kills += _killed_after(rng.uniform(0.1, 1.0) * whole, _command(place, "killed"))
        subprocess.run(_command(place, "killed"), check=True, capture_output=True)
        stores = [_content(place / name) for name in ("whole", "killed")]
        benchmark.write(
            {
                "pages": given.pages,
                "kills": kills,
                "segments": len(stores[0]),
                "seconds_uninterrupted": round(whole, 1),
                "equal": stores[0] == stores[1],
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


def _content(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.glob("segment-*.parquet")}


if __name__ == "__main__":
    main()
