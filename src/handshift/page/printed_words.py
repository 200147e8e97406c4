"""Finds the printed words of a page: type repeats its letters almost exactly, handwriting does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.page.print_detection import free_letters, have_twins
from handshift.page.word import Word

Flags = NDArray[np.bool_]
_SHARE = 0.5
"""Share of a word's letters with a twin on the page from which on it is print by itself."""
_LINE_SHARE = 0.45
"""Share of the letters of a line with a twin from which on all its words of that height are print."""
_FEWEST = 3
_MANY, _MANY_SHARE = 8, 0.3
"""Letters of a word that is print with this smaller share, since serifs touch and blur, on a page that has
three words of print otherwise. On 45 pages by validation writers of CSAFE, copiste and IAM no word of eight
letters has more than 0.13."""
_SAME_HEIGHT = 1.8
_BESIDE = 2.5
"""Letter sizes between printed words of a line at most."""


def printed_words(words: Sequence[Word], size: float) -> Flags:
    """Which words are print.

    Args:
        words: Words of a page, handwritten and printed.
        size: Height of small letters of the writing, in pixels of the words' ink; print may be half as high.

    Returns:
        (words,) flags. A word with few free-standing letters follows the words of its line.
    """
    letters = [
        (at, letter) for at, word in enumerate(words) for letter in free_letters(word, size, smallest=0.3)
    ]
    owner = np.array([at for at, _ in letters], np.intp)
    twin = have_twins([letter for _, letter in letters])
    count = np.bincount(owner, minlength=len(words))
    twins = np.bincount(owner, weights=twin, minlength=len(words)).astype(np.float64)
    share = twins / np.maximum(count, 1)
    printed = (count >= _FEWEST) & (share >= _SHARE)
    if printed.sum() >= _FEWEST:
        printed |= (count >= _MANY) & (share >= _MANY_SHARE)
    found = _along_lines(words, printed, count, twins)
    return found | _beside(words, found, (twins >= 2) & (share >= _MANY_SHARE), _BESIDE * size)


def _along_lines(
    words: Sequence[Word], printed: Flags, count: NDArray[np.intp], twins: NDArray[np.float64]
) -> Flags:
    """Words between print on a line are print too, and single twins in a line of writing are chance."""
    line = np.array([word.line for word in words])
    height = np.array([word.ink.shape[0] for word in words], float)
    found = np.zeros(len(words), bool)
    for number in np.unique(line[printed]):
        own = line == number
        typical = float(np.median(height[own & printed]))
        alike = own & (height < _SAME_HEIGHT * typical)
        whole = twins[alike].sum() >= _LINE_SHARE * max(1, count[alike].sum())
        if whole and count[alike].sum() >= 2 * _FEWEST:
            found |= alike
        else:
            found |= own & printed & (count >= 2 * _FEWEST)
    return found


def _beside(words: Sequence[Word], printed: Flags, likely: Flags, reach: float) -> Flags:
    """Words with some twins beside a printed word at its height, which were taken for a line of their own."""
    found = np.zeros(len(words), bool)
    boxes = [words[at].box for at in np.flatnonzero(printed).tolist()]
    for at in np.flatnonzero(likely & ~printed).tolist():
        own = words[at].box
        middle = own.y + own.height / 2
        found[at] = any(box.y <= middle <= box.y + box.height and own.apart(box) < reach for box in boxes)
    return found
