"""Whether words that were added to a text, between its lines or in its margin, are by another hand."""

from __future__ import annotations

import numpy as np

from handshift.attribution.same_writer import SameWriter, Sums
from handshift.calibration.page_calibration import PageLr
from handshift.core.arrays import Flags, Floats, Vectors
from handshift.embedding.prototypes import Prototypes

FEWEST_ADDED = 3
"""Added words from which on they are compared with the text."""
_FEWEST_OF_TEXT = 8
_SHRUNK = 0.5
"""Factor of the log10 LR: the comparison was calibrated on pages, and what is squeezed in is not written as
freely. On 57 pages by validation writers with six to ten added words, half of them by another hand, the ratio
of the page has AUC .884, .948 with added words at their own scale, then .951 with this ratio in full and .957
with it shrunk; wrong and confident are 4, 2, 3 and 1."""
_DRAWS, _SEED = 200, 0


def added_ratio(vectors: Vectors, added: Flags, same_writer: SameWriter) -> PageLr | None:
    """Ratio of "another hand wrote all added words" against "one hand wrote them and the text".

    Args:
        vectors: (words, dimensions) of a page's words.
        added: (words,) which of them stand in lines beside the text.
        same_writer: The calibrated comparison of two sets of words.

    Returns:
        The ratio, shrunk towards 1, its bounds, and a 95 % interval over draws of the words; None where there
        are too few.
    """
    text, notes = vectors[~added], vectors[added]
    if len(notes) < FEWEST_ADDED or len(text) < _FEWEST_OF_TEXT:
        return None
    found = same_writer.ratios(same_writer.side([text]), same_writer.side([notes]))
    low, high = float(found.low[0]), float(found.high[0])
    draw = np.random.default_rng(_SEED)
    weight = same_writer.ratios(*(_drawn(words, same_writer, draw) for words in (text, notes))).weight
    # Words drawn with replacement repeat, which moves the mean of all draws: see `Verifier`.
    ends = np.percentile(weight - weight.mean() + found.weight[0], (2.5, 97.5))
    lower, upper = -_SHRUNK * np.clip(ends[::-1], low, high)
    bounds = -_SHRUNK * high, -_SHRUNK * low
    return PageLr(-_SHRUNK * float(found.log10_lr[0]), bounds, (float(lower), float(upper)))


def _drawn(words: Vectors, same_writer: SameWriter, draw: np.random.Generator) -> Sums:
    """Sums of words drawn with replacement."""
    count = len(words)
    share: Floats = draw.multinomial(count, np.full(count, 1 / count), size=_DRAWS) / count
    return same_writer.sums(Prototypes(share @ words.astype(np.float64), np.full(_DRAWS, float(count))))
