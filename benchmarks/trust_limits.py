"""Pages of very many words, and what decoding in a process of its own costs a batch."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import trust_inputs
from PIL import Image

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE

COMMAND = "from handshift.cli import main\nmain()"


def many_words(words: int, folder: Path) -> dict[str, Any]:
    """Examine a page of so many words: seconds from start to end, memory, and what handshift says."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{words}.png"
    if not page.exists():
        _sheet_of(words).save(page, dpi=(150, 150))
    found = page.with_suffix(".json")
    found.unlink(missing_ok=True)
    command = [sys.executable, "-c", COMMAND, "examine", str(page), "--no-report", "--json", str(found)]
    busy = os.getloadavg()[0]
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    said = process.stdout.read().replace(f"{folder}/", "")
    # Of handshift alone and, at the same time, of the largest process that it has waited for.
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "words_drawn": words,
        "load_before": round(busy, 1),
        "exit": process.returncode,
        "seconds": round(time.monotonic() - begun, 1),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
        "memory_mb": used.ru_maxrss >> 10,
        "said": [line.strip() for line in said.splitlines() if line.strip()][:6],
    }


def _sheet_of(words: int) -> Image.Image:
    """A sheet that many people wrote on, a hundred words each.

    The letters of one drawn hand alone repeat so often that they look like type.
    """
    note = ENGLISH_NOTE.split()
    text = (note * (words // len(note) + 1))[:words]
    shares = [" ".join(text[start : start + 100]) for start in range(0, words, 100)]
    side = 19.0 * words**0.5  # about 40 words a line at 1,500
    passages = [Passage(Scribe(number), share) for number, share in enumerate(shares, 1)]
    drawn = draw_page(passages, seed=1, layout=Layout(width_mm=side, height_mm=side))
    return Image.fromarray(drawn.image).convert("L")


def worker_cost(pages: int, folder: Path) -> dict[str, Any]:
    """Time of a batch of letters decoded in the worker, beside the same batch decoded in this process."""
    from handshift.page import decode_worker
    from handshift.page.scan import scan_pages
    from handshift.page.sidecar import find_segmentation
    from handshift.pipeline import read_pages
    from handshift.pipeline.examiner import Examiner

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = [folder / f"{number:03d}.png" for number in range(pages)]
    for number, path in enumerate(files):
        text = " ".join(ENGLISH_NOTE.split()[:60])
        trust_inputs.letter(number % 6, number, text, Layout()).save(path, dpi=(200, 200))
    examiner = Examiner()
    ways = {
        "worker": (decode_worker.isolated_pages, decode_worker.isolated_segmentation),
        "in_process": (
            lambda path, first=0: scan_pages(path),
            lambda path, number=0: find_segmentation(path),
        ),
    }
    busy = os.getloadavg()[0]
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    list(examiner.examine_pages(files[0]))  # networks loaded, worker started
    for path in files:
        for way, (read, segmentation) in ways.items():
            read_pages.isolated_pages, read_pages.isolated_segmentation = read, segmentation  # type: ignore
            begun = time.perf_counter()
            list(examiner.examine_pages(path))
            seconds[way].append(time.perf_counter() - begun)
    more = [one - other for one, other in zip(seconds["worker"], seconds["in_process"], strict=True)]
    page = median(seconds["worker"])
    return {
        "pages": pages,
        "load_before": round(busy, 1),
        "seconds_a_page": {way: round(median(taken), 4) for way, taken in seconds.items()},
        "worker_seconds_a_page": round(median(more), 4),
        "worker_share": round(median(more) / page, 4),
    }
