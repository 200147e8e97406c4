"""Fifty canvases examined and opened in Mirador: ``python docs/mirador_picture.py`` (needs npm and Chromium).

Draws fifty pages, one of them by two scribes, serves them with a IIIF manifest on loopback, examines the
manifest by its address, serves the annotations beside it and photographs Mirador, which npm brings. Fails
unless Mirador lists every canvas and shows the annotations.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.demo import TWO_HANDS

PICTURE = Path(__file__).with_name("images") / "mirador.png"
CANVASES = 50
OPENED = 4
"""The canvas of the demo page by two scribes."""
MIRADOR = "mirador@4.0.0"
PATIENT = 180_000
"""Milliseconds until the viewer shows something."""
VIEWER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Mirador</title><body style="margin:0">
<div id="viewer" style="position:absolute;inset:0"></div><script src="mirador.min.js"></script><script>
Mirador.viewer({{id: "viewer",
windows: [{{manifestId: "{address}/annotations/manifest.json", canvasIndex: {number}}}],
window: {{defaultSideBarPanel: "annotations", sideBarOpenByDefault: true, highlightAllAnnotations: true}}}})
</script></body></html>"""


def main() -> None:
    """Draw, serve, examine, photograph."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        sizes = draw_pages(site)
        unpack_mirador(site)
        with serving(site) as address:
            (site / "manifest.json").write_text(json.dumps(manifest(address, sizes)))
            examine(address, site)
            found = json.loads((site / "annotations" / "manifest.json").read_text())
            assert len(found["items"]) == CANVASES and all("annotations" in one for one in found["items"])
            (site / "index.html").write_text(VIEWER.format(address=address, number=OPENED))
            photograph(address)


def draw_pages(site: Path) -> list[tuple[int, int]]:
    """Draw the pages into `site`; the width and height of each."""
    text, layout = ENGLISH.split(), Layout(width_mm=150.0, height_mm=180.0)
    for number in range(CANVASES):
        words = [text[(number + place) % len(text)] for place in range(40)]
        page = draw_page([Passage(Scribe(number), " ".join(words))], seed=number, layout=layout)
        save_page(page, site / f"{number:02d}.png")
    shutil.copy(TWO_HANDS, site / f"{OPENED:02d}.png")
    return [Image.open(site / f"{number:02d}.png").size for number in range(CANVASES)]


def manifest(address: str, sizes: list[tuple[int, int]]) -> dict[str, object]:
    """A manifest of Presentation 3 whose canvases are the drawn pages."""

    def canvas(number: int, width: int, height: int) -> dict[str, object]:
        name = f"{address}/canvas/{number}"
        shape = {"height": height, "width": width}
        picture = {"id": f"{address}/{number:02d}.png", "type": "Image", "format": "image/png", **shape}
        painting = {
            "id": f"{name}/painting/1",
            "type": "Annotation",
            "motivation": "painting",
            "body": picture,
            "target": name,
        }
        items = [{"id": f"{name}/painting", "type": "AnnotationPage", "items": [painting]}]
        return {
            "id": name,
            "type": "Canvas",
            "label": {"en": [f"leaf {number + 1}"]},
            **shape,
            "items": items,
        }

    return {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": f"{address}/manifest.json",
        "type": "Manifest",
        "label": {"en": ["Fifty drawn letters"]},
        "items": [canvas(number, *size) for number, size in enumerate(sizes)],
    }


def unpack_mirador(site: Path) -> None:
    """Fetch the viewer from the package registry."""
    subprocess.run(["npm", "pack", "--silent", MIRADOR], cwd=site, check=True)
    with tarfile.open(next(site.glob("mirador-*.tgz"))) as package:
        script = package.extractfile("package/dist/mirador.min.js")
        assert script is not None
        (site / "mirador.min.js").write_bytes(script.read())


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve a folder on loopback, to scripts of any origin as IIIF asks for."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def examine(address: str, site: Path) -> None:
    """`handshift examine` on the manifest's address, annotations into the served folder."""
    arguments = ["examine", f"{address}/manifest.json", "--no-report"]
    arguments += ["--annotations", str(site / "annotations"), "--annotation-base", f"{address}/annotations"]
    quick = os.environ | {"HANDSHIFT_FETCH_RATE": "50"}
    done = subprocess.run([sys.executable, "-m", "handshift", *arguments], env=quick, check=False)
    assert done.returncode in {0, 5}, done.returncode  # 5: drawn pages are out of scope


def photograph(address: str) -> None:
    """Open the fifth canvas, wait for its annotations, and keep the picture."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{address}/index.html", timeout=PATIENT)
        page.wait_for_selector("text=hand B >> nth=0", timeout=PATIENT)
        page.wait_for_selector(f"text=of {CANVASES}", timeout=PATIENT)
        page.wait_for_timeout(4000)  # the picture's tiles fade in
        page.screenshot(path=PICTURE, timeout=PATIENT)
        browser.close()


if __name__ == "__main__":
    main()
