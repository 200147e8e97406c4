"""Bad input: each a clear message and the right exit code, and nothing half-written."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page


def empty(path: Path, letter: Path) -> None:
    path.write_bytes(b"")


def text(path: Path, letter: Path) -> None:
    path.write_text("Dear Martha, this is no picture.", encoding="utf-8")


def truncated(path: Path, letter: Path) -> None:
    with Image.open(letter) as scan:
        scan.convert("RGB").save(path, "JPEG")
    path.write_bytes(path.read_bytes()[:4000])


def one_pixel(path: Path, letter: Path) -> None:
    Image.new("RGB", (1, 1)).save(path, "PNG")


def white(path: Path, letter: Path) -> None:
    Image.new("RGB", (1200, 1600), "white").save(path, "PNG")


def huge(path: Path, letter: Path) -> None:
    size = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(bytes(9))))


def chunk(name: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check


def pdf_without_pages(path: Path, letter: Path) -> None:
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    )


def three_words(path: Path, letter: Path) -> None:
    png = path.with_suffix(".png")
    save_page(draw_page([Passage(Scribe(3), "Dear Martha, yours")], seed=1), png)
    png.with_suffix(".json").unlink()
    png.rename(path)


def xml_bomb(path: Path, letter: Path) -> None:
    path.write_bytes(letter.read_bytes())
    path.with_suffix(".xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE PcGts [<!ENTITY a "boom"><!ENTITY b "&a;&a;&a;&a;">]>'
        "<PcGts>&b;</PcGts>",
        encoding="utf-8",
    )


CASES: list[tuple[Callable[[Path, Path], None], str, str]] = [
    (empty, "page.png", "the file is empty"),
    (text, "page.png", "not an image of a kind handshift reads"),
    (truncated, "page.jpg", "the image is damaged or cut short"),
    (one_pixel, "page.png", "1×1 pixels is too small to hold writing"),
    (white, "page.png", "found 0 legible words, needs at least 4"),
    (huge, "page.png", "30000×30000 pixels is over the limit of 200 megapixels"),
    (pdf_without_pages, "page.pdf", "PDF"),
    (three_words, "page.png", "legible words, needs at least 4"),
    (xml_bomb, "page.png", "the XML declares entities and may be an attack"),
]


@pytest.mark.parametrize(("make", "name", "message"), CASES, ids=[case[0].__name__ for case in CASES])
def test_bad_page_is_one_sentence_and_code_3(run, letter, tmp_path, make, name, message):
    make(tmp_path / name, letter)
    done = run("examine", tmp_path / name, "--page-xml", "xml", "--tei", "tei")
    assert done.code == 3
    (line,) = [line for line in done.err.splitlines() if line]
    assert line.startswith(f"not examined: {tmp_path / name}: ") and message in line
    assert done.out == ""
    assert list(Path().iterdir()) == []


def test_a_failed_page_is_in_the_json_with_its_reason(run, tmp_path):
    empty(tmp_path / "page.png", tmp_path)
    assert run("examine", tmp_path / "page.png", tmp_path / "gone.png", "--json", "findings.json").code == 3
    pages = json.loads(Path("findings.json").read_text(encoding="utf-8"))["pages"]
    assert [page["score"] for page in pages] == [None, None]
    assert {page["error"] for page in pages} == {
        "no such file or folder; check the spelling",
        "the file is empty; copy or scan it again",
    }
    assert os.listdir() == ["findings.json"]  # noqa: PTH208


def test_a_folder_that_cannot_be_read_is_told(run, tmp_path, monkeypatch):
    folder = tmp_path / "closed"
    folder.mkdir()
    scandir = os.scandir

    def closed(path: str | Path = ".") -> object:  # root may read every folder, so permissions alone won't do
        if str(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    done = run("examine", folder)
    assert done.code == 3
    assert f"not examined: {folder}: the folder cannot be read (Permission denied)" in done.err


def test_a_folder_without_scans_and_a_pattern_without_matches_are_told(run):
    Path("void").mkdir()
    done = run("examine", "void", "void/*.png")
    assert done.code == 3
    assert "no scans in this folder" in done.err and "no scan fits this pattern" in done.err


def test_printed_text_has_no_ratio(run):
    page = np.full((900, 1300), 255, np.uint8)
    for row, line in enumerate(("The quick brown fox jumps over", "the lazy dog and then it sleeps") * 4):
        cv2.putText(page, line, (60, 90 + 95 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.6, 0, 3, cv2.LINE_AA)
    Image.fromarray(page).save("printed.png")
    done = run("examine", "printed.png")
    assert done.code == 5
    assert "log10 LR" not in done.out
    assert "no handwriting to examine, only" in done.err and "print" in done.err
