"""Detects printed pages: type repeats its letters almost exactly, handwriting does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

SIDE = 20
ALIKE = 0.9
PRINTED = 0.45
"""Share of letters with a twin. Measured: 25 CSAFE pages at most 0.03, a synthetic scribe who writes a text
twice 0.23; five typefaces 0.92 and more, and 0.61 and more when turned, blurred and noisy."""
FEWEST_LETTERS = 20
INK = 95
SAME_SIZE = 0.12  # difference of log widths or log heights
_TOGETHER = 2500
"""Letters compared with one another, those of about 400 words: the more there are, the more have a twin by
chance, and memory would grow with their square."""


def share_of_twins(words: Sequence[Word], letter_size: float) -> float:
    """Share of letters that correlate above 0.9 with another letter of the same size.

    Args:
        words: The words of a page.
        letter_size: Typical height of small letters, in pixels of the words' ink.

    Returns:
        The share; 0 with fewer than 20 letters.
    """
    letters = [letter for word in words for letter in free_letters(word, letter_size)]
    return float(have_twins(letters).mean()) if len(letters) >= FEWEST_LETTERS else 0.0


def have_twins(letters: Sequence[NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Which letters correlate above 0.9 with another of the same size nearby on the page; (letters,)."""
    parts = np.array_split(np.arange(len(letters)), max(1, -(-len(letters) // _TOGETHER)))
    return np.concatenate([_twins_among([letters[at] for at in part]) for part in parts])


def _twins_among(letters: Sequence[NDArray[np.float32]]) -> NDArray[np.bool_]:
    if len(letters) < 2:
        return np.zeros(len(letters), bool)
    sizes = np.log([letter.shape for letter in letters])  # (letters, 2)
    shrunk = [cv2.resize(letter, (SIDE, SIDE), interpolation=cv2.INTER_AREA).ravel() for letter in letters]
    pictures = np.array(shrunk, np.float32)  # (letters, SIDE²)
    pictures -= pictures.mean(axis=1, keepdims=True)
    pictures /= np.linalg.norm(pictures, axis=1, keepdims=True) + 1e-6
    alike = pictures @ pictures.T > ALIKE  # (letters, letters)
    for size in sizes.T.astype(np.float32):
        alike &= np.abs(size[:, None] - size) < SAME_SIZE
    np.fill_diagonal(alike, False)
    return np.asarray(alike.any(axis=1))


def free_letters(word: Word, size: float, smallest: float = 0.7) -> Iterator[NDArray[np.float32]]:
    """Yield components of the size of one letter; dots and bars look the same in any hand.

    Args:
        word: The word.
        size: Height of small letters.
        smallest: Least height of a component, in letter sizes.
    """
    mask = (word.ink > INK).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    for label in range(1, count):
        x, y, width, height, _ = (int(value) for value in stats[label])
        if smallest * size <= height <= 3 * size and 0.57 * smallest * size <= width <= 2.2 * size:
            yield (labels[y : y + height, x : x + width] == label).astype(np.float32)
