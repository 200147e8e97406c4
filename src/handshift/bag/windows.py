"""Sliding windows: instances of several consecutive words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet


def windows(words: int, size: int = 5, stride: int = 1) -> NDArray[np.int64]:
    """(windows, size) word indices; a last window ends with the last word, so that every word is covered.

    Fewer words than `size` make one window of (1, words).
    """
    if words < 1 or size < 1 or stride < 1:
        raise ValueError(f"windows need words, size and stride of 1 or more, got {words}, {size}, {stride}")
    size = min(size, words)
    starts = np.arange(0, words - size + 1, stride)
    if starts[-1] + size < words:
        starts = np.append(starts, words - size)
    return np.asarray(starts[:, None] + np.arange(size), np.int64)


def windowed(bags: BagSet, size: int = 5, stride: int = 1) -> BagSet:
    """The same bags as sequences of windows: words were replaced before windows are cut.

    Raises:
        ValueError: the bags have instances already, or are shorter than a window.
    """
    sizes = bags.sizes
    if bags.width != 1 or sizes.min(initial=size) < size:
        raise ValueError(f"windows of {size} words are cut from bags of single words, {size} or more of them")
    places = {int(words): windows(int(words), size, stride).ravel() for words in np.unique(sizes)}
    at = [places[int(words)] + int(start) for words, start in zip(sizes, bags.offsets, strict=False)]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in at])])
    signed = bags.signed[np.concatenate(at)] if at else bags.signed
    return BagSet.of_parts(signed, offsets, bags.columns, size)
