"""Seconds and megabytes of `handshift hands` on many scanned pages, started as a user starts it.

Example: python benchmarks/document_cost.py --data ../shared/data/csafe --pages 100
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from process_tree import processor_seconds, resident_megabytes
from result_file import Benchmark

from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import WriterSplit

_EVERY = 0.2
"""Seconds between two looks at the memory."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data/csafe"))
    options.add_argument("--split", type=Path, default=Path("studies/splits/csafe.json"))
    options.add_argument("--part", default="test")
    options.add_argument("--pages", type=int, default=100)
    given = benchmark.begin()
    paths = scans(given.data, given.split, given.part, given.pages)
    benchmark.write({"part": given.part, "pages": len(paths), **cost(paths)})


def scans(data: Path, split: Path, part: str, pages: int) -> list[Path]:
    """The first scans of a part's writers, in the order of their names."""
    corpus = read_corpus(data)
    writers = set(WriterSplit.load(split, known=corpus.writers).parts[part])
    return sorted(sample.path for sample in corpus.samples if sample.writer in writers)[:pages]


def cost(paths: list[Path]) -> dict[str, object]:
    """Run the command on these files with all its reports off."""
    idle = resident_megabytes()
    most, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            most[0] = max(most[0], resident_megabytes() - idle)

    watcher = threading.Thread(target=watch)
    watcher.start()
    busy, start = processor_seconds(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "handshift", "hands", *map(str, paths), "--json", "document.json"]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    if ran.returncode not in (0, 5):  # 5: something was out of scope
        raise SystemExit(ran.stderr)
    return {
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor_seconds() - busy, 1),
        "peak_megabytes_of_all_processes": round(most[0], 1),
        "first_line": ran.stdout.splitlines()[0],
    }


if __name__ == "__main__":
    main()
