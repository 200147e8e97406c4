"""One query by a fresh process, as a command asks it: import, open, search; prints milliseconds and memory.

Usage: python benchmarks/cold_search.py ours|faiss|lance INDEX QUERY.npy [PROBED]
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Query = NDArray[np.float32]


def main(kind: str, index: Path, query: Query, probed: float) -> dict[str, Any]:
    before = _resident()
    start = time.perf_counter()
    search = {"ours": ours, "faiss": mapped_by_faiss, "lance": by_lance}[kind](index, probed)
    opened = time.perf_counter()
    search(query)
    first = time.perf_counter()
    return {
        "milliseconds_to_import_and_open": round(1000 * (opened - start), 1),
        "milliseconds_of_the_first_query": round(1000 * (first - opened), 1),
        "megabytes": round(_resident() - before, 1),
    }


def ours(index: Path, probed: float) -> Callable[[Query], object]:
    from handshift.store.inverted_file import InvertedFile

    opened = InvertedFile.load(index)
    return lambda query: opened.search(query, 10, probed)


def mapped_by_faiss(index: Path, probed: float) -> Callable[[Query], object]:
    import faiss

    faiss.omp_set_num_threads(1)
    opened: Any = faiss.read_index(str(index), faiss.IO_FLAG_MMAP)
    opened.nprobe = int(probed)
    return lambda query: opened.search(query[None], 10)


def by_lance(index: Path, probed: float) -> Callable[[Query], object]:
    import lance

    opened = lance.dataset(index)
    return lambda query: opened.to_table(
        columns=["number"], nearest={"column": "vector", "q": query, "k": 10, "nprobes": int(probed)}
    )


def _resident() -> float:
    """Megabytes of this process; pages of mapped files count once they are read."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


if __name__ == "__main__":
    _, name, folder, asked, share = sys.argv
    print(json.dumps(main(name, Path(folder), np.load(asked, allow_pickle=False), float(share))))
