"""How likely words are if one hand wrote them, in one sitting or in several."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats


def together(sums: Floats, counts: Floats, variance: Floats) -> Floats:
    """ln p(words | one sitting) − ln p(words | each on the mean of all writers), words of variance 1.

        L(s, n) = ½ Σ_d [v·s² / (1 + n·v) − ln(1 + n·v)]

    for n words with sum s of a hand whose mean varies by v; `sums` (…, dimensions), `counts` (…).
    """
    grown = 1 + counts[..., None] * variance
    return np.asarray(0.5 * (variance * sums * sums / grown - np.log(grown)).sum(axis=-1))


def one_writer(means: Floats, noise: Floats, members: NDArray[np.bool_], writer: Floats) -> Floats:
    """ln p(means of sittings | one writer) − ln p(the same | each on the mean of all writers).

    Sittings of a writer w have means m ~ N(w, noise), with w ~ N(0, β):

        ½ Σ_d [z² / (p + 1/β) − ln(1 + β·p)],   p = Σ 1/noise,   z = Σ m/noise.

    `means` and `noise` (sittings, dimensions), `members` (groups, sittings); returns (groups,).
    """
    weight = 1 / noise
    precision = members @ weight  # (groups, dimensions)
    pulled = members @ (means * weight)
    return np.asarray(
        0.5 * (pulled * pulled / (precision + 1 / writer) - np.log1p(writer * precision)).sum(axis=1)
    )
