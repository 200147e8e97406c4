"""Pages of very many words, and what decoding in a process of its own costs a batch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import trust_inputs
from PIL import Image

from handshift.corpus.scribes import Layout, Passage, Scribe, ScribedPage, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE

COMMAND = "from handshift.cli import main\nmain()"
SHEETS = ((1500, False), (1500, True), (6000, False))
"""Words drawn, and whether their boxes are given in ALTO: without, those that touch are found as one."""


def many_words(words: int, boxes: bool, folder: Path) -> dict[str, Any]:
    """Examine a page of so many words: seconds from start to end, memory, and what handshift says."""
    folder = folder / ("given" if boxes else "found")
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{words}.png"
    if not page.exists():
        # In a process of its own: the peak of one that starts another counts as the other's.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            pool.submit(_draw_sheet, words, boxes, page).result()
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
        "words_given": boxes,
        "words_compared": _compared(found),
        "load_before": round(busy, 1),
        "exit": process.returncode,
        "seconds": round(time.monotonic() - begun, 1),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
        "memory_mb": used.ru_maxrss >> 10,
        "said": [line.strip() for line in said.splitlines() if line.strip()][:6],
    }


def _compared(found: Path) -> int:
    """Words of the only page that were compared; none of a page that was refused."""
    (page,) = json.loads(found.read_text("utf-8"))["pages"]
    return len(page.get("compared", []))


def _draw_sheet(words: int, boxes: bool, path: Path) -> None:
    """A sheet that many people wrote on, a hundred words each.

    The letters of one drawn hand alone repeat so often that they look like type.
    """
    note = ENGLISH_NOTE.split()
    text = (note * (words // len(note) + 1))[:words]
    shares = [" ".join(text[start : start + 100]) for start in range(0, words, 100)]
    side = 19.0 * words**0.5  # about 40 words a line at 1,500
    passages = [Passage(Scribe(number), share) for number, share in enumerate(shares, 1)]
    drawn = draw_page(passages, seed=1, layout=Layout(width_mm=side, height_mm=side))
    if boxes:
        path.with_suffix(".xml").write_text(_alto(drawn), "utf-8")
    Image.fromarray(drawn.image).convert("L").save(path, dpi=(150, 150))


def _alto(drawn: ScribedPage) -> str:
    """The boxes of a drawn page."""
    height, width = drawn.image.shape[:2]
    lines = []
    for _, line in groupby(drawn.words, lambda word: word.line):
        strings = (
            f'<String CONTENT="" HPOS="{box.x}" VPOS="{box.y}" WIDTH="{box.width}" HEIGHT="{box.height}"/>'
            for box in (word.box for word in line)
        )
        lines.append(f"<TextLine>{''.join(strings)}</TextLine>")
    page = f'<Page WIDTH="{width}" HEIGHT="{height}"><PrintSpace><TextBlock>'
    return f"<alto><Layout>{page}{''.join(lines)}</TextBlock></PrintSpace></Page></Layout></alto>"


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
