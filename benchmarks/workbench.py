"""How quickly the workbench answers: first result, a PDF of a hundred pages, and scoring after a correction.

Starts `handshift serve` and a headless Chromium, drops the demo page, then gives a PDF of 100 drawn pages and
asks the API meanwhile. Ends the server it started.

Example: python benchmarks/workbench.py            (needs Chromium, as the tests of the page do)
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from result_file import Benchmark

from handshift.demo import TWO_HANDS

CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--pages", type=int, default=100)
    benchmark.options.add_argument("--rounds", type=int, default=5)
    benchmark.options.add_argument("--chromium", default="/usr/bin/chromium")
    given = benchmark.begin()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "bench") as (address, process):
        client = httpx.Client(base_url=address, timeout=120)
        result = on_screen(address, given.chromium, given.rounds)
        print(result, flush=True)
        pdf = Path(folder) / "letters.pdf"
        draw_pdf(pdf, given.pages)
        result |= long_job(client, process.pid, pdf)
    benchmark.write(result)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`handshift serve` on a free port of loopback."""
    command = [sys.executable, "-m", "handshift", "serve", "--no-browser", "--port", "0"]
    process = subprocess.Popen([*command, "--folder", str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().rpartition(": ")[2].strip().rstrip("/")
    try:
        while True:
            try:
                httpx.get(f"{address}/api/info", timeout=5)
                break
            except httpx.HTTPError:
                time.sleep(0.2)
        yield address, process
    finally:
        process.terminate()
        process.wait(30)


def on_screen(address: str, chromium: str, rounds: int) -> dict[str, dict[str, float]]:
    """Seconds from the drop of the demo page, and from a correction, to the findings on the screen.

    Each round drops the page into a new case, merges two words, then two more. The first round has the page
    itself, just after the server's start; the others enlarge it a little, since the workbench remembers the
    vectors of words that it has seen.
    """
    from playwright.sync_api import sync_playwright

    first, again = [], []
    with sync_playwright() as tools, tempfile.TemporaryDirectory() as folder:
        browser = tools.chromium.launch(executable_path=chromium, args=list(CHROMIUM))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for number in range(rounds):
            letter = Path(folder) / f"letter-{number}.png"
            _rescaled(letter, number)
            case = httpx.post(f"{address}/api/cases", json={"name": f"round {number}"}).json()["id"]
            page.goto(f"{address}/#/case/{case}")
            page.wait_for_selector(".drop")
            begun = time.perf_counter()
            page.set_input_files(".drop input >> nth=0", letter)
            page.wait_for_selector(".headline", timeout=120_000)
            first.append(time.perf_counter() - begun)
            for corrections in (1, 2):
                page.keyboard.press("j")
                page.wait_for_selector("text=Merge with next")
                begun = time.perf_counter()
                page.click("text=Merge with next")
                page.wait_for_selector(f".finding li:nth-child({corrections}):has-text('Words merged')")
                again.append(time.perf_counter() - begun)
        browser.close()
    return {"first_result_s": _spread(first), "rescoring_s": _spread(again)}


def _rescaled(path: Path, number: int) -> None:
    """The demo page, one per cent larger in every round."""
    import cv2

    image, scale = cv2.imread(str(TWO_HANDS)), 1 + number / 100
    cv2.imwrite(str(path), cv2.resize(image, None, fx=scale, fy=scale))


def draw_pdf(path: Path, pages: int) -> None:
    """A PDF of drawn letters: twenty different ones, repeated."""
    from PIL import Image

    from handshift.corpus.scribes import Passage, Scribe, draw_page
    from handshift.corpus.scribes.texts import ENGLISH

    drawn = []
    for number in range(min(20, pages)):
        image = draw_page([Passage(Scribe(number), ENGLISH)], seed=number).image
        drawn.append(Image.fromarray(image))
    images = [drawn[number % len(drawn)] for number in range(pages)]
    images[0].save(path, save_all=True, append_images=images[1:], resolution=150)


def long_job(client: httpx.Client, server: int, pdf: Path) -> dict[str, Any]:
    """Examine the PDF; meanwhile ask what a person at the page asks, and add up the server's memory."""
    case = client.post("/api/cases", json={"name": "a long document"}).json()["id"]
    memory: list[float] = []
    ended = threading.Event()
    watch = threading.Thread(target=_watch_memory, args=(server, memory, ended), daemon=True)
    watch.start()
    begun = time.perf_counter()
    with pdf.open("rb") as file:
        client.post(f"/api/cases/{case}/exhibits", files={"files": file}).raise_for_status()
    answers: dict[str, list[float]] = {"case": [], "page": [], "tile": [], "cases": []}
    while True:
        detail = _timed(client, f"/api/cases/{case}", answers["case"])
        pages = detail["exhibits"][0]["pages"]
        _timed(client, "/api/cases", answers["cases"])
        if pages:
            last = pages[-1]["id"]
            _timed(client, f"/api/pages/{last}", answers["page"])
            _timed(client, f"/api/pages/{last}/tiles/10/0_0.jpg", answers["tile"], json=False)
        if all(job["state"] in {"done", "failed"} for job in detail["jobs"]):
            break
        time.sleep(0.25)
    seconds = time.perf_counter() - begun
    ended.set()
    watch.join()
    everything = [one for group in answers.values() for one in group]
    tenth = max(1, len(memory) // 10)
    return {
        "pdf": {
            "pages": len(pages),
            "seconds": round(seconds, 1),
            "api_median_ms": round(1000 * statistics.median(everything), 1),
            "api_95th_ms": round(1000 * sorted(everything)[int(0.95 * len(everything))], 1),
            "api_median_ms_by_request": {
                name: round(1000 * statistics.median(group), 1) for name, group in answers.items() if group
            },
            "requests": len(everything),
            "memory_mb_after_a_tenth": round(memory[tenth - 1]),
            "memory_mb_most": round(max(memory)),
            "memory_mb_at_the_end": round(memory[-1]),
        }
    }


def _timed(client: httpx.Client, path: str, into: list[float], *, json: bool = True) -> Any:
    begun = time.perf_counter()
    answer = client.get(path)
    into.append(time.perf_counter() - begun)
    answer.raise_for_status()
    return answer.json() if json else None


def _watch_memory(server: int, memory: list[float], ended: threading.Event) -> None:
    """Resident megabytes of the server and its computing processes, twice a second."""
    while not ended.wait(0.5):
        memory.append(sum(_resident(one) for one in _family(server)))


def _family(parent: int) -> list[int]:
    found = [parent]
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) in found:
            found.append(int(path.parent.name))
    return found


def _resident(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _spread(seconds: list[float]) -> dict[str, float]:
    named = {"first": seconds[0], "median": statistics.median(seconds), "most": max(seconds)}
    return {name: round(value, 2) for name, value in named.items()}


if __name__ == "__main__":
    main()
