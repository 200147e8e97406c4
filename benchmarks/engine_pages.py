"""The drawn pages of `engine.py`: sheets at 150 dpi, small pages, and slips."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH

DPI = 150.0


@dataclass(frozen=True)
class Small:
    """Small pages, cheap to examine."""

    words: int
    layout: Layout


PAGE = Small(14, Layout(width_mm=130.0, height_mm=100.0))
SLIP = Small(6, Layout(width_mm=110.0, height_mm=60.0))


def draw_full(folder: Path, pages: int, drawn: int) -> list[Path]:
    """Sheets of some 80 words; other files with the same pixels beyond `drawn`."""
    folder.mkdir(exist_ok=True)
    for number in range(pages):
        path = folder / f"{number:05d}.png"
        if path.exists():
            continue
        if number < drawn:
            save_page(draw_page([Passage(Scribe(number), ENGLISH)], seed=number, dpi=DPI), path)
        else:
            content = (folder / f"{number % drawn:05d}.png").read_bytes()
            path.write_bytes(content + number.to_bytes(4, "big"))
    return sorted(folder.glob("*.png"))[:pages]


def draw_small(folder: Path, pages: int, kind: Small) -> list[Path]:
    """Small pages; every third by two scribes."""
    folder.mkdir(exist_ok=True)
    text = ENGLISH.split()
    for number in range(pages):
        path = folder / f"{number:05d}.png"
        if not path.exists():
            words = [text[(5 * number + place) % len(text)] for place in range(kind.words)]
            half = kind.words // 2 if number % 3 == 0 else kind.words
            hands = [words[:half], words[half:]]
            passages = [
                Passage(Scribe(2 * number + place), " ".join(part))
                for place, part in enumerate(hands)
                if part
            ]
            save_page(draw_page(passages, seed=number, layout=kind.layout, dpi=DPI), path)
    return sorted(folder.glob("*.png"))[:pages]
