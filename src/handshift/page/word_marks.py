"""Runs a small network on the words of a page: which are crossed out, and which stand upside down."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

if TYPE_CHECKING:
    from handshift.core.onnx_session import OnnxSession

HEIGHT, WIDTH, LETTER = 32, 128, 8.0
"""Pixels of the picture that the network sees, and of a small letter in it."""
NARROWEST, LOWEST = 1.2, 0.5
"""Letter sizes: width and height of a word that is tested."""
NETWORK = "word_marks.onnx"
THRESHOLD = "struck_out_from"
"""Name of the threshold in the file's metadata."""


class WordMarks(NamedTuple):
    """Logits, one a word; nan where a word is too small to be tested."""

    struck_out: NDArray[np.float64]
    """Less the threshold: above 0 where a word counts as crossed out."""
    upside_down: NDArray[np.float64]


def word_marks(words: Sequence[Word], size: float) -> WordMarks:
    """Test the words of a page.

    Args:
        words: Words with their ink.
        size: Height of small letters, in pixels of the ink.
    """
    logits = np.full((len(words), 2), np.nan)
    pictures = {
        at: picture for at, word in enumerate(words) if (picture := word_picture(word.ink, size)) is not None
    }
    if pictures:
        session, threshold = _network()
        (found,) = session.run(words=np.stack(list(pictures.values()))[:, None].astype(np.float32) / 255)
        logits[list(pictures)] = found - (threshold, 0.0)
    return WordMarks(*logits.T)


def word_picture(ink: NDArray[np.uint8], size: float) -> NDArray[np.uint8] | None:
    """A word at the network's scale, in the middle of the picture; None where it is too small to be tested.

    What is wider or higher than the picture is cut off on both sides.
    """
    height, width = ink.shape
    if size <= 0 or width < NARROWEST * size or height < LOWEST * size:
        return None
    scale = LETTER / size
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    shape = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = np.asarray(cv2.resize(ink, shape, interpolation=how), np.uint8)
    weight = small.sum(axis=1, dtype=np.float64)
    if weight.sum() == 0:
        return None
    top = round(float(weight @ np.arange(weight.size) / weight.sum())) - HEIGHT // 2
    left = (small.shape[1] - WIDTH) // 2
    part = small[max(0, top) : top + HEIGHT, max(0, left) : max(0, left) + WIDTH]
    picture = np.zeros((HEIGHT, WIDTH), np.uint8)
    y, x = max(0, -top), max(0, -left)
    picture[y : y + part.shape[0], x : x + part.shape[1]] = part
    return picture


@lru_cache(maxsize=1)
def _network() -> tuple[OnnxSession, float]:
    # Imported here: onnxruntime takes longer to import than all other parts of segmentation.
    from handshift.core.onnx_session import OnnxSession

    session = OnnxSession(Path(str(files("handshift.page") / NETWORK)), spin=False)
    return session, float(session.metadata[THRESHOLD])
