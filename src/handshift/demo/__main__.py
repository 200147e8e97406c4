"""Draw the bundled pages again: ``python -m handshift.demo``."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image

from handshift.core.atomic import write_bytes
from handshift.corpus.scribes import ScribedPage, demo_one_hand, demo_two_hands
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.page.synthetic_mark import mark_synthetic

TONES = 16


def page_png(page: ScribedPage) -> bytes:
    """Encode as a small palette PNG: one tone for the paper and its noise, the others for ink."""
    grey = page.image.mean(axis=2)  # (height, width)
    paper = float(np.median(grey))
    depth = (paper - grey) / (paper - grey.min())
    tone = np.clip(np.rint(depth * (TONES - 1)), 0, TONES - 1).astype(np.uint8)
    image = Image.fromarray(tone, "P")
    image.putpalette(b"".join(_mean_colour(page.image[tone == index]) for index in range(TONES)))
    file = BytesIO()
    image.save(file, "PNG", optimize=True, bits=4, dpi=(page.dpi, page.dpi))
    return mark_synthetic(file.getvalue())


def _mean_colour(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    mean = pixels.mean(axis=0) if len(pixels) else np.zeros(3)
    return bytes(np.rint(mean).astype(np.uint8))


if __name__ == "__main__":
    for path, page in ((TWO_HANDS, demo_two_hands()), (ONE_HAND, demo_one_hand())):
        write_bytes(path, content := page_png(page))
        print(f"{path}: {len(content) / 1024:.0f} KB, {len(page.words)} words")
