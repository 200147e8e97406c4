"""Every division of a small bag, weighed one and all."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from handshift.detect.partition import Bag, Floats

MOST_WORDS = 16
"""39,202 divisions of sixteen words take milliseconds; each further word doubles them."""


@cache
def every_division(n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Every subset of at most half the words, small ones first: zeros and ones (subsets, n), and sizes."""
    codes = np.arange(1, 2**n)
    members = (codes[:, None] >> np.arange(n)) & 1
    sizes = members.sum(axis=1)
    order = np.argsort(sizes, kind="stable")[: np.count_nonzero(sizes <= n // 2)]
    return members[order].astype(np.float64), sizes[order]


def weigh_every_division(bag: Bag) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
    """Members (divisions, words), sizes, and both log ratios (divisions,).

    A ratio is a quadratic form in the second group's sum, s = Σ m_i·x_i, so it is one in the zeros and ones
    m too: mᵀ G m with G_ij = Σ_d square_d·x_id·x_jd + δ_ij Σ_d linear_d·x_id. That has as many
    dimensions as there are words, not as vectors have.
    """
    members, sizes = every_division(bag.size)
    x, forms = bag.words, bag.forms
    ratios = np.empty((2, len(members)))
    bounds = np.searchsorted(sizes, np.arange(1, bag.size // 2 + 2))
    for row, alike in enumerate(map(slice, bounds[:-1], bounds[1:])):
        for hypothesis in (0, 1):
            gram = (x * forms.square[row, :, hypothesis]) @ x.T
            gram[np.diag_indices(bag.size)] += x @ forms.linear[row, :, hypothesis]
            form = np.einsum("mi,mi->m", members[alike] @ gram, members[alike])
            ratios[hypothesis, alike] = form + forms.constant[row, hypothesis]
    return members, sizes, ratios[0], ratios[1]
