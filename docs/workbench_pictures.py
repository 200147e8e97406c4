"""The pictures of the workbench: ``python docs/workbench_pictures.py`` (needs Chromium and playwright).

Starts `handshift serve` in a folder of its own, opens cases on pages that the project's scribes draw, and
photographs every main view; with names (page, document, machine) only those. Run it after the page changes.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH

IMAGES = Path(__file__).with_name("images")
DESK, TABLET = (1280, 800), (1024, 768)
PATIENT = 180_000
"""Milliseconds for a result."""
SUBSTITUTED = 3
"""Page of the drawn agreement that another scribe wrote, from 0."""


def draw_page_view(address: str, client: httpx.Client, browser: Browser) -> None:
    """The guided first case: light, with a word, dark, in Korean, on a tablet."""
    view = f"case/{client.post('/api/demo').json()['id']}"
    with _opened(browser, address, view, ".headline") as page:
        page.wait_for_selector(".chip >> nth=1", timeout=PATIENT)
        _photograph(page, "workbench")
        page.locator(".strip rect").nth(45).dispatch_event("click")
        page.wait_for_selector(".match img", timeout=PATIENT)
        _photograph(page, "workbench-word")
    with _opened(browser, address, view, ".headline", theme="dark") as page:
        _photograph(page, "workbench-dark")
    with _opened(browser, address, view, ".headline", theme="dark", language="ko") as page:
        _photograph(page, "workbench-ko-dark")
    with _opened(browser, address, view, ".headline", size=TABLET) as page:
        _photograph(page, "workbench-tablet")


def draw_document(address: str, client: httpx.Client, browser: Browser) -> None:
    """Five pages, one of them by another scribe: linked, and that page compared with the first two."""
    case = _agreement(client)
    with _opened(browser, address, f"case/{case}/document", ".picker") as page:
        page.click(".scroll-view button.primary")
        page.wait_for_selector(".result .grid", timeout=PATIENT)
        _photograph(page, "workbench-document")
    with _opened(browser, address, f"case/{case}/compare", ".picker") as page:
        for number in range(5):
            page.locator(".picker >> nth=0 >> input").nth(number).set_checked(number == SUBSTITUTED)
            page.locator(".picker >> nth=1 >> input").nth(number).set_checked(number < 2)
        page.click(".scroll-view button.primary")
        page.wait_for_selector(".result .headline", timeout=PATIENT)
        _photograph(page, "workbench-compare")


def draw_machine(address: str, client: httpx.Client, browser: Browser) -> None:
    """The simulated gearbox."""
    machine = client.post("/api/machines/demo").json()["id"]
    with _opened(browser, address, f"machine/{machine}", ".maps img") as page:
        page.wait_for_selector(".queue li", state="detached", timeout=PATIENT)
        _photograph(page, "workbench-machine")


PARTS = {"page": draw_page_view, "document": draw_document, "machine": draw_machine}


def _agreement(client: httpx.Client) -> int:
    """A case of five drawn pages, one of them by another scribe."""
    case: int = client.post("/api/cases", json={"name": "An agreement of five pages"}).json()["id"]
    for number in range(5):
        scribe = Scribe(5 if number == SUBSTITUTED else 11)
        drawn = draw_page([Passage(scribe, ENGLISH)], seed=number).image
        content = cv2.imencode(".png", cv2.cvtColor(drawn, cv2.COLOR_RGB2BGR))[1].tobytes()
        file = (f"page-{number + 1}.png", io.BytesIO(content))
        client.post(f"/api/cases/{case}/exhibits", files={"files": file}).raise_for_status()
    while True:
        jobs = client.get(f"/api/cases/{case}").json()["jobs"]
        if all(job["state"] in {"done", "failed"} for job in jobs):
            return case
        time.sleep(0.5)


@contextmanager
def _opened(
    browser: Browser,
    address: str,
    view: str,
    ready: str,
    *,
    theme: str = "light",
    language: str = "en",
    size: tuple[int, int] = DESK,
) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    kept = {"theme": theme, "language": language, "guided": "yes", "examiner": "J. Doe"}
    for name, value in kept.items():
        context.add_init_script(f"localStorage.setItem('handshift.{name}', '{value}')")
    page = context.new_page()
    page.goto(f"{address}/#/{view}")
    page.wait_for_selector(ready, timeout=PATIENT)
    yield page
    context.close()


def _photograph(page: Page, name: str) -> None:
    page.wait_for_timeout(1500)  # until the tiles are drawn
    page.screenshot(path=IMAGES / f"{name}.png")
    print(f"{name}.png")


@contextmanager
def _served() -> Iterator[str]:
    command = [sys.executable, "-m", "handshift", "serve", "--no-browser", "--port", "0"]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*command, "--folder", f"{folder}/bench"], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        try:
            yield process.stdout.readline().rpartition(": ")[2].strip().rstrip("/")
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    with _served() as served, sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        waiting = httpx.HTTPTransport(retries=8)  # until the server has started
        asking = httpx.Client(base_url=served, timeout=120, transport=waiting)
        for part in sys.argv[1:] or PARTS:
            PARTS[part](served, asking, chromium)
        chromium.close()
