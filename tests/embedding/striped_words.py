"""Words whose writers differ by the angle of their stripes: a network tells them apart in a few steps."""

from __future__ import annotations

import numpy as np

from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH


def striped_words(
    database: str, writers: int, pages: int = 2, each: int = 6, sessions: bool = False, seed: int = 0
) -> WordCollection:
    """`each` words on each of `pages` pages of every writer; every page a session of its own if wanted."""
    rng = np.random.default_rng(seed)
    y, x = np.indices((HEIGHT, WIDTH))
    crops, writer, page, session = [], [], [], []
    for number in range(writers):
        for sheet in range(pages):
            for _ in range(each):
                angle = np.pi * number / writers
                phase = np.cos(angle) * x + np.sin(angle) * y + rng.uniform(0, 9)
                mask = (abs(x - WIDTH // 2) < rng.integers(20, 45)) & (abs(y - HEIGHT // 2) < 20)
                crops.append(np.where(mask & (np.sin(phase / 1.5) > 0), 255, 0).astype(np.uint8))
                writer.append(f"{database}/{number}")
                page.append(f"{database}/{number}/{sheet}")
                session.append(sheet + 1 if sessions else 1)
    names = np.array(page)
    return WordCollection(np.stack(crops), names, np.array(writer), np.array(session), names)
