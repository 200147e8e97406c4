"""Word vectors of invented hands: writer + session + word, each Gaussian."""

from __future__ import annotations

import numpy as np

from handshift.corpus.split import WriterSplit
from handshift.detect.plda import Plda

DIMENSIONS = 16
WRITERS, WORDS = 40, 24
PARTS = {
    "train": range(12),
    "validation": range(12, 18),
    "test": range(18, 24),
    "calibration": range(24, WRITERS),
}


def model() -> Plda:
    """The model the words are drawn from."""
    levels = np.linspace(2.0, 0.3, DIMENSIONS)
    return Plda(np.zeros(DIMENSIONS), np.eye(DIMENSIONS), levels, 0.1 * levels)


def draw(rng: np.random.Generator, one: int, other: int = 0, session: int = 0) -> np.ndarray:
    """`one` words of a hand, then `other` of another, then `session` of the first on another day."""
    levels = model()
    first, second = rng.normal(0, np.sqrt(levels.writer), (2, DIMENSIONS))
    day, night = rng.normal(0, np.sqrt(levels.session), (2, DIMENSIONS))
    centres = np.repeat([first + day, second + day, first + night], [one, other, session], axis=0)
    return centres + rng.normal(size=centres.shape)


def bags(rng: np.random.Generator, count: int, words: int = 14, foreign: int = 4):
    """(count, words, dimensions) unit vectors, every second bag mixed, and its labels."""
    label = np.arange(count) % 2
    x = np.stack([draw(rng, words - foreign * mixed, foreign * mixed) for mixed in label.tolist()])
    return (x / np.linalg.norm(x, axis=-1, keepdims=True)).astype(np.float32), label


def split() -> WriterSplit:
    """Who learns, who chooses, who is asked, who calibrates."""
    return WriterSplit("toy", 0, {part: tuple(f"w{k:02d}" for k in who) for part, who in PARTS.items()})
