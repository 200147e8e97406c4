"""Finds signatures: large marks set apart below the text, with the flourishes about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

_HIGH, _WIDE = 3.6, 3.0
"""Height and width of a signature, in letter sizes, where it stands below the text."""
_HIGHER = 1.5
"""Height of a signature over that of the words in the middle, where it is not crossed out."""
_BY_ITSELF = 2
"""Marks of a line in which a signature may be lower: a name, and what broke off it."""
_LOWER, _WIDER = (3.1, 1.45), 4.9
"""Its height then, in letter sizes and over that of the words in the middle, and its width. On 48 pages by
calibration writers, signed and not, 45 of the names are found, without this 41; nothing else is called so."""
_MOST = 4
"""Signatures below a text: where more marks look like one, these are a text of large letters, or notes."""
_APART = 1.15
"""Line spacings between the last line of the text and the middle of a signature."""
_NEAR = 1.0
"""Letter sizes between a signature and the pieces that belong to it, such as the end of its flourish."""
_FULL = 3
"""Words of ordinary height in the last line of a text, at least."""


def signatures(words: Sequence[Word], crossed: NDArray[np.bool_], size: float, spacing: float) -> list[int]:
    """Which marks are a signature or a piece of one.

    Args:
        words: Writing of a page, boxes in pixels of the page.
        crossed: (words,) which of them look crossed out: a flourish through a name does that too.
        size: Height of small letters.
        spacing: Distance of lines.

    Returns:
        Their numbers, rising.
    """
    bottom = _end_of_text(words, size) + _APART * spacing
    below = [at for at, word in enumerate(words) if word.box.y + 0.5 * word.box.height > bottom]
    own_line = Counter(word.line for word in words)
    usual = float(np.median([len(word.ink) for word in words])) if words else 0.0
    names = []
    for at in below:
        height, width = words[at].ink.shape
        beside = own_line[words[at].line]
        high = height > max(_HIGH * size, _HIGHER * usual) or (crossed[at] and beside <= _FULL)
        alone = beside <= _BY_ITSELF and height > max(_LOWER[0] * size, _LOWER[1] * usual)
        if (high and width > _WIDE * size) or (alone and width > _WIDER * size):
            names.append(at)
    if len(names) > _MOST:
        return []
    # Only what is smaller and next to a name: a note below the text is no piece of the signature in it.
    pieces = {
        at
        for at in below
        for name in names
        if words[at].ink.size < words[name].ink.size and words[at].box.apart(words[name].box) < _NEAR * size
    }
    return sorted({*names, *pieces})


def _end_of_text(words: Sequence[Word], size: float) -> float:
    """The lower edge of the last line that has three words of ordinary height."""
    lines: dict[int, list[float]] = {}
    for word in words:
        if word.ink.shape[0] < _HIGH * size:
            lines.setdefault(word.line, []).append(word.box.y + word.box.height)
    full = [float(np.median(ends)) for ends in lines.values() if len(ends) >= _FULL]
    return max(full, default=float("inf"))
