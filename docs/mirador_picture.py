"""Fifty canvases examined and opened in Mirador: ``python docs/mirador_picture.py`` (needs npm and Chromium).

Draws fifty pages, one of them by two scribes, serves them with a IIIF manifest on loopback, examines the
manifest by its address, serves the annotations beside it and photographs Mirador, which npm brings. Fails
unless Mirador lists every canvas and shows the annotations.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.demo import TWO_HANDS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "page"))
from iiif_server import manifest_3, serving, write

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
        with serving(site) as server:
            address = server.url
            names = [f"{number:02d}.png" for number in range(CANVASES)]
            manifest = manifest_3(address, names, sizes, label="Fifty drawn letters")
            write(site / "manifest.json", manifest)
            examine(address, site)
            found = json.loads((site / "annotations" / "manifest.json").read_text())
            assert len(found["items"]) == CANVASES and all("annotations" in one for one in found["items"])
            (site / "index.html").write_text(VIEWER.format(address=address, number=OPENED))
            photograph(address)


def draw_pages(site: Path) -> list[tuple[int, int]]:
    """Draw the pages into `site`/images; the width and height of each."""
    images = site / "images"
    images.mkdir()
    text, layout = ENGLISH.split(), Layout(width_mm=150.0, height_mm=180.0)
    for number in range(CANVASES):
        words = [text[(number + place) % len(text)] for place in range(40)]
        page = draw_page([Passage(Scribe(number), " ".join(words))], seed=number, layout=layout)
        save_page(page, images / f"{number:02d}.png")
    shutil.copy(TWO_HANDS, images / f"{OPENED:02d}.png")
    return [Image.open(images / f"{number:02d}.png").size for number in range(CANVASES)]


def unpack_mirador(site: Path) -> None:
    """Fetch the viewer from the package registry."""
    subprocess.run(["npm", "pack", "--silent", MIRADOR], cwd=site, check=True)
    with tarfile.open(next(site.glob("mirador-*.tgz"))) as package:
        script = package.extractfile("package/dist/mirador.min.js")
        assert script is not None
        (site / "mirador.min.js").write_bytes(script.read())


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
