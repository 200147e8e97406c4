"""The absolute size of writing in millimetres, where the resolution of the scan is known.

Crops are drawn at the scale of the writing, so that vectors do not hold its size; a person's size varies
little from page to page all the same, and is compared beside the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.embedding.crops.writing_scale import vertical_spread
from handshift.page.word import Word

LOWEST_DPI = 100.0
"""72 and 96 are what cameras and screens write into a file whose resolution nobody has measured."""
LETTER_HEIGHT = 2.34
"""Height of small letters over the vertical spread of writing: 16.4 pixels of the canvas over 7."""
_MILLIMETRES = 25.4
_OUTLYING = float(np.log(2.0))

Number = TypeVar("Number", bound=np.floating)


def word_sizes(words: Sequence[Word], dpi: float | None) -> Floats:
    """How large each word of a page is written.

    Args:
        words: Legible words of one page.
        dpi: Pixels per inch of the page that their boxes lie in; None where it is not known.

    Returns:
        (words,) ln of the vertical spread of ink in millimetres; the page's median for words that differ from
        it by more than a factor of two, as two lines found as one do; NaN without a resolution.
    """
    if dpi is None or dpi < LOWEST_DPI or not words:
        return np.full(len(words), np.nan)
    spreads = [max(vertical_spread(word.ink), 0.25) * word.box.height / word.ink.shape[0] for word in words]
    sizes = np.log(np.array(spreads) * _MILLIMETRES / dpi)
    middle = np.median(sizes)
    return np.where(np.abs(sizes - middle) < _OUTLYING, sizes, middle)


def with_sizes(vectors: NDArray[Number], sizes: NDArray[np.floating] | float) -> NDArray[Number]:
    """Rows of a comparison: each word's vector, and beside it the ln of its size, NaN where unknown.

    Args:
        vectors: (words, dimensions).
        sizes: (words,), or one for all of them.

    Returns:
        (words, dimensions + 1).
    """
    return np.column_stack([vectors, np.broadcast_to(sizes, len(vectors))]).astype(vectors.dtype)
