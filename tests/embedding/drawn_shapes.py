"""Pictures that are no handwriting: each identity draws its own regular shape, its own size and thickness."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np


def draw_identities(folder: Path, identities: int, each: int) -> Path:
    for number in range(identities):
        rng = np.random.default_rng(number)
        corners, thick, shear = 3 + number % 5, 1 + 2 * (number % 3), rng.uniform(-0.5, 0.5)
        (folder / f"id{number:02}").mkdir(parents=True)
        for copy in range(each):
            image = np.zeros((64, 96), np.uint8)
            for _ in range(3):
                turn, radius = rng.uniform(0, 0.4), rng.uniform(14, 18)
                angles = turn + 2 * np.pi * np.arange(corners) / corners
                x, y = radius * np.cos(angles), radius * np.sin(angles)
                points = np.stack([x + shear * y + rng.uniform(20, 76), y + rng.uniform(20, 44)], axis=1)
                cv2.polylines(image, [points.astype(np.int32)], True, 255, thick, cv2.LINE_AA)
            cv2.imwrite(str(folder / f"id{number:02}" / f"{copy}.png"), image)
    return folder
