"""Small databases in the layouts of the real ones, drawn by synthetic scribes."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import matplotlib
import numpy as np

from handshift.corpus.scribes import Scribe
from handshift.corpus.scribes.flow import Passage
from handshift.corpus.scribes.page import draw_page, draw_word

TEXT = "the quilt on the bed at once and the nights are cold now in the back room"


def manifest(folder: Path, rows: Sequence[Mapping[str, object]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def page_image(scribe: int, seed: int) -> np.ndarray:
    return draw_page([Passage(Scribe(scribe), TEXT)], seed=seed).image


def save(path: Path, image: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), image)


def word_image(scribe: int, text: str, seed: int) -> np.ndarray:
    return 255 - cv2.copyMakeBorder(draw_word(Scribe(scribe), text, seed), 3, 3, 3, 3, cv2.BORDER_CONSTANT)


def draw_csafe(root: Path, writers: int = 3) -> None:
    """Two sessions of one page each."""
    rows = []
    for number in range(writers):
        for session in (1, 2):
            path = f"w{number}/w{number}_s{session}.png"
            save(root / "csafe" / path, page_image(number, 10 * number + session))
            rows.append({"path": path, "writer": f"w{number}", "session": session, "prompt": "LND"})
    manifest(root / "csafe", rows)


def draw_iam(root: Path) -> None:
    """Writer 000 has a form and two lines of another form; writer 001 has one form."""
    for writer in ("000", "001"):
        save(root / "iam_forms" / writer / "form.png", page_image(int(writer), 5))
    forms = [{"path": f"{w}/form.png", "writer": w, "session": 1, "prompt": f"a{w}"} for w in ("000", "001")]
    manifest(root / "iam_forms", forms)
    line = page_image(0, 6)[60:200]
    for number in range(2):
        save(root / "iam_lines" / "000" / f"{number}.png", line)
    lines = [
        {"path": f"000/{n}.png", "writer": "000", "session": "b01", "prompt": f"b01-{n}", "form": "b01"}
        for n in range(2)
    ]
    manifest(root / "iam_lines", lines)


def draw_cedar(root: Path) -> None:
    """A strip of two words for each copy of the letter."""
    rows = []
    for copy in "ab":
        words = [cv2.resize(word_image(4, "and", ord(copy) + n), (64, 64)) for n in range(2)]
        save(root / "cedar_and" / "0001" / f"0001{copy}.png", np.hstack(words))
        rows += [
            {"path": f"0001/0001{copy}.png", "writer": "0001", "session": copy, "prompt": "and"}
            | {"x": 64 * n, "y": 0, "w": 64, "h": 64}
            for n in range(2)
        ]
    manifest(root / "cedar_and", rows)


def draw_words(root: Path, folder: str, column: str) -> None:
    """Single word pictures, as DHSD and AHAWP have them."""
    rows = []
    for writer in range(2):
        for number, text in enumerate(("quilt", "stove")):
            save(root / folder / f"u{writer}" / f"{number}.png", word_image(writer, text, number))
            rows.append({"path": f"u{writer}/{number}.png", "writer": f"u{writer}", column: text})
    manifest(root / folder, rows)


def draw_khatt(root: Path) -> None:
    rows = []
    for paragraph in (2, 3):
        save(root / "khatt" / "k1" / f"p{paragraph}.png", page_image(7, paragraph)[60:200])
        rows.append({"path": f"k1/p{paragraph}.png", "writer": "k1", "session": paragraph, "prompt": "p"})
    manifest(root / "khatt", rows)


def draw_strokes_file(root: Path) -> None:
    """Two texts of three wavy strokes each."""
    x = np.linspace(0, 600, 60)
    strokes = [np.stack([x + 900 * s, 150 * np.sin(x / 40) + 400 * s], axis=1).astype(int) for s in range(3)]
    points = np.concatenate(strokes * 2)
    folder = root / "iam_ondb_strokes"
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        folder / "w1.npz",
        dxy=np.diff(points, axis=0, prepend=[[0, 0]]).astype(np.int16),
        stroke_len=np.array([60] * 6, np.uint16),
        form_strokes=np.array([3, 3], np.int32),
    )
    rows = [{"path": "w1.npz", "writer": "w1", "session": "d", "prompt": f"t{n}", "index": n} for n in (0, 1)]
    manifest(folder, rows)


def draw_fonts(root: Path) -> None:
    """A font of matplotlib's in the place of a person's hand, in Korean and in Latin."""
    for folder, foundry, writer in (
        (root / "fonts_korean", "nanum", "kr_hand"),
        (root / "fonts_latin", "fontsource", "caveat"),
    ):
        (folder / foundry).mkdir(parents=True)
        shutil.copy(
            Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf", folder / foundry / "Hand.ttf"
        )
        (folder / "words.txt").write_text("quilt\nstove\nback\nroom\n", encoding="utf-8")
        manifest(folder, [{"path": f"{foundry}/Hand.ttf", "writer": writer}])


def draw_all(root: Path) -> Path:
    draw_csafe(root)
    draw_iam(root)
    draw_cedar(root)
    draw_words(root, "dhsd", "text")
    draw_words(root, "ahawp", "prompt")
    draw_khatt(root)
    draw_strokes_file(root)
    draw_fonts(root)
    return root
