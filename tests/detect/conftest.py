"""Words of invented writers on disk, as trainings and studies read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_hands import DIMENSIONS, WORDS, WRITERS, model, split


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """Two sessions of every writer, one page each; vectors.npy, words.csv and split.json."""
    folder, rng, levels = tmp_path_factory.mktemp("vectors"), np.random.default_rng(0), model()
    rows, lines = [], ["page,writer,session,prompt"]
    for writer in range(WRITERS):
        hand = rng.normal(0, np.sqrt(levels.writer))
        for session in (0, 1):
            day = hand + rng.normal(0, np.sqrt(levels.session))
            rows.append(day + rng.normal(size=(WORDS, DIMENSIONS)))
            lines += [f"{writer}-{session}.png,w{writer:02d},{session},LND"] * WORDS
    vectors = np.concatenate(rows)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(folder / "vectors.npy", vectors.astype(np.float32))
    (folder / "words.csv").write_text("\n".join(lines) + "\n")
    split().save(folder / "split.json")
    return folder
