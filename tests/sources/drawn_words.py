"""A small corpus drawn in the source's layout: <writer>/<word>_<repetition>.png and naver_ocr.csv."""

from __future__ import annotations

import csv
from pathlib import Path

import cv2
import numpy as np

WORDS = ("our", "London", "business", "is", "good", "but", "Vienna", "and", "Berlin")


def draw_source_layout(folder: Path, writers: int = 6, repetitions: tuple[int, ...] = (0, 1, 9, 10)) -> Path:
    """Each writer has a slant, a size and a thickness; sessions are repetition // 9."""
    rows = []
    for number in range(writers):
        rng = np.random.default_rng(number)
        slant, size, thick = rng.uniform(-0.4, 0.4), rng.uniform(0.8, 1.3), 1 + number % 3
        name = f"{number:04d}"
        (folder / name).mkdir(parents=True)
        for repetition in repetitions:
            for word in WORDS:
                path = folder / name / f"{word}_{repetition}.png"
                cv2.imwrite(str(path), draw_word(word, slant + rng.normal(0, 0.03), size, thick))
                rows.append((f"C:\\data\\{name}\\{path.name}", name, word, repetition))
    rows.sort(key=lambda row: (row[1], row[2]))  # by word, as the source's table may be: pages are scattered
    with (folder / "naver_ocr.csv").open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("image_path", "label", "detected_word", "repetition"), *rows])
    return folder


def draw_word(text: str, slant: float, size: float, thick: int) -> np.ndarray:
    image = np.full((50, 110, 3), 255, np.uint8)
    cv2.putText(
        image, text, (14, 34), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 0.6 * size, (40, 30, 20), thick, cv2.LINE_AA
    )
    sheared = np.array([[1, -slant, 17 * slant], [0, 1, 0]], np.float32)
    return cv2.warpAffine(image, sheared, (110, 50), borderValue=(255, 255, 255))
