"""A corpus of drawn pages, a multi-page file with a blank page, and a damaged file."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page

TEXT = "the parcel you sent on Friday came this morning with the post van and all was whole and dry"
LAYOUT = Layout(width_mm=140.0, height_mm=110.0)
FINDINGS = ("path", "sha256", "page", "status", "error", "log10_lr", "hands", "words", "number_of_hands")


def draw_corpus(folder: Path, pages: int, scribes: int = 3) -> Path:
    """Draw pages, then book.tiff of a blank and a written page, then torn.png: the order of examination."""
    for number in range(pages):
        page = draw_page([Passage(Scribe(number % scribes), TEXT)], seed=number, layout=LAYOUT)
        save_page(page, folder / f"a{number:03d}.png")
    last = Image.fromarray(draw_page([Passage(Scribe(9), TEXT)], seed=99, layout=LAYOUT).image)
    blank = Image.new("RGB", last.size, "white")
    blank.save(folder / "book.tiff", save_all=True, append_images=[last], dpi=(200, 200))
    (folder / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    return folder
