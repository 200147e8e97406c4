"""A PDF of 2,000 pages and 5,000 mixed files, 100 of them hostile: examined whole, and killed three times."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import trust_inputs
from journalled_pieces import add, rows
from PIL import Image

BLANK = 10
"""One page of the PDF in so many is blank; the others are short letters."""
WRITTEN = 4
"""One of the mixed files in so many is a letter; the others are small and blank, to take minutes."""
INPUTS = {"pdf": "2,000 pages in a PDF", "files": "5,000 mixed files"}
FORMS = ("png", "jpg", "tif", "bmp", "webp")


def pdf_of_pages(path: Path, pages: int) -> None:
    """A PDF of letters, blank pages, pages too small or too large, and pages with a damaged picture."""
    letters = [_jpeg(letter) for letter in _letters(seed=0)]
    pictures = [*letters, (_jpeg(Image.new("L", (300, 220), 250))), (b"no picture at all", (300, 220))]
    blank, damaged = len(letters), len(letters) + 1
    first_page = 3 + len(pictures)
    kids = b" ".join(b"%d 0 R" % (first_page + 2 * number) for number in range(pages))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids)]
    for content, (width, height) in pictures:
        head = b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray" % (width, height)
        objects.append(
            head
            + b"/BitsPerComponent 8/Filter/DCTDecode/Length %d>>stream\n%s\nendstream"
            % (len(content), content)
        )
    for number in range(pages):
        shown = blank if number % BLANK == 0 else number % len(letters)
        shown = damaged if number % 97 == 5 else shown
        wide, high = {7: (1, 1), 8: (90_000, 90_000)}.get(number % 211, (340, 255))
        draw = b"%d 0 0 %d 0 0 cm /I Do" % (wide, high)
        box = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R" % (
            wide,
            high,
            first_page + 2 * number + 1,
        )
        objects.append(box + b"/Resources<</XObject<</I %d 0 R>>>>>>" % (3 + shown))
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(draw), draw))
    path.write_bytes(_pdf(objects))


def mixed_files(folder: Path, files: int, hostile: int) -> None:
    """Letters and blank pictures in every format, and hostile files among them, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    letters = [letter.convert("L") for letter in _letters(seed=40)]
    chance = np.random.default_rng(5)
    for number in range(files - hostile):
        path = folder / f"{number:05d}.{FORMS[number % len(FORMS)]}"
        if number % WRITTEN == 0:
            letters[number // WRITTEN % len(letters)].save(path)
        else:
            shade = int(chance.integers(200, 255))
            Image.new("L", (int(chance.integers(60, 300)), 200), shade).save(path)
    for number, path in enumerate(trust_inputs.hostile_files(folder / "new", hostile)):
        path.rename(folder / f"{number * (files // hostile):05d}-{path.name}")
    (folder / "new").rmdir()


def _letters(seed: int) -> list[Image.Image]:
    return [trust_inputs.letter(1 + number % 8, seed + number) for number in range(24)]


def _jpeg(image: Image.Image) -> tuple[bytes, tuple[int, int]]:
    file = io.BytesIO()
    image.convert("L").save(file, "JPEG", quality=80)
    return file.getvalue(), image.size


def _pdf(objects: Sequence[bytes]) -> bytes:
    body, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(body))
    return bytes(body) + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def run(what: str, count: int, folder: Path) -> dict[str, Any]:
    """Examine once without and once with three kills, and compare.

    Args:
        what: ``pdf`` or ``files``.
        count: Pages or files.
        folder: For inputs and results; what an earlier attempt has finished is used again.
    """
    given = folder / ("book.pdf" if what == "pdf" else "files")
    stages = folder / "stages.jsonl"
    if not stages.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if what == "pdf":
            pdf_of_pages(given, count)
        else:
            mixed_files(given, count, hostile=count // 50)
    stops: list[int | None] = [None, *sorted(random.Random(count).sample(range(1, count), 3)), None]
    for stage, stop in list(enumerate(stops))[len(rows(stages)) :]:
        out = folder / ("found.json" if stage else "whole.json")
        seconds, memory = _examine(given, out, folder, stop)
        add(stages, {"seconds": seconds, "memory": memory})
    seconds, memory = rows(stages)[0]["seconds"], rows(stages)[0]["memory"]
    whole, resumed = (json.loads((folder / name).read_text("utf-8")) for name in ("whole.json", "found.json"))
    pages = whole["pages"]
    quarter = max(1, len(memory) // 4)
    return {
        "what": what,
        "pages": count,
        "records": len(pages),
        "missing": count - len(pages),
        "statuses": dict(Counter(page["status"] for page in pages)),
        "complete": whole["complete"] and resumed["complete"],
        "killed_after_pages": stops[1:-1],
        "same_pages": resumed["pages"] == pages,
        "seconds": round(seconds, 1),
        "memory_mb_second_quarter": max(memory[quarter : 2 * quarter], default=0),
        "memory_mb_last_quarter": max(memory[-quarter:], default=0),
    }


def _examine(given: Path, out: Path, folder: Path, stop_at: int | None) -> tuple[float, list[int]]:
    """Run `handshift examine`, killed where its journal has so many pages; seconds, and MB each second."""
    command = [sys.executable, "-c", "from handshift.cli import main\nmain()", "examine", str(given)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    begun = time.monotonic()
    process = subprocess.Popen(
        [*command, "--json", str(out), "--no-report"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "errors").open("wb"),
    )
    journal = out.with_name(f".{out.name}.journal")
    memory = []
    while process.poll() is None:
        memory.append(_megabytes(process.pid))
        if stop_at and journal.exists() and journal.read_bytes().count(b'"entry"') >= stop_at:
            process.send_signal(signal.SIGKILL)
        time.sleep(0.2 if stop_at else 1.0)
    if process.returncode not in (0, 1, 5, -signal.SIGKILL):
        raise RuntimeError((folder / "errors").read_text()[-2000:])
    return time.monotonic() - begun, memory


def _megabytes(process: int) -> int:
    """Resident memory of a process and the decoder it started."""
    total = 0
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for pid in (process, *children):
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1]) >> 10
    except OSError:  # just ended
        return total
    return total
