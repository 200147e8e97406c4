"""Grey of 16 and more bits becomes grey of 8, with nothing clipped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def deep_grey_to_bytes(grey: NDArray[Any]) -> NDArray[np.uint8]:
    """Scale so that the depth the scanner really used fills 0…255.

    Scanners store 10-, 12- or 14-bit greys in 16-bit files; dividing those by 257 would give a black page.
    White is therefore the smallest 2ᵏ − 1 ≥ the brightest pixel (k ≥ 8), or 1 for floats in 0…1.
    """
    if grey.dtype.kind == "f":
        paper = _finite_max(grey)  # what was not measured is shown as paper, not as ink
        grey = np.nan_to_num(grey, nan=paper, posinf=paper, neginf=0.0)
    grey = grey - min(grey.min(), 0)  # signed files: the darkest value is black
    brightest = float(grey.max())
    fraction = grey.dtype.kind == "f" and brightest <= 1.0
    white = 1.0 if fraction else 2.0 ** max(8, int(np.ceil(np.log2(brightest + 1.0)))) - 1.0
    scaled = grey.astype(np.float32)
    scaled *= np.float32(255.0 / white)
    return np.rint(scaled, out=scaled).clip(0, 255).astype(np.uint8)


def _finite_max(grey: NDArray[Any]) -> float:
    finite = grey[np.isfinite(grey)]
    return float(finite.max()) if finite.size else 1.0
