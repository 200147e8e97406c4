"""Every division of a small bag, weighed one and all."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from handshift.detect.partition import Bag, Floats

MOST_WORDS = 16
"""39,202 divisions of sixteen words take milliseconds; each further word doubles them."""


@cache
def every_division(n: int) -> tuple[Floats, ...]:
    """(C(n, k), n) zeros and ones for each k from 1 to n // 2: every subset of at most half the words."""
    codes = np.arange(1, 2**n)
    members = (codes[:, None] >> np.arange(n)) & 1
    sizes = members.sum(axis=1)
    return tuple(members[sizes == k].astype(np.float64) for k in range(1, n // 2 + 1))


def weigh_every_division(bag: Bag) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
    """Members (divisions, words), sizes, and both log ratios (divisions,).

    A ratio is a quadratic form in the second group's sum, s = Σ m_i·x_i, so it is one in the zeros and ones
    m too: mᵀ G m with G_ij = Σ_d square_d·x_id·x_jd + δ_ij Σ_d linear_d·x_id. That has as many
    dimensions as there are words, not as vectors have.
    """
    divisions = every_division(bag.size)
    x, forms = bag.words, bag.forms
    ratios = []
    for row, members in enumerate(divisions):
        pair = []
        for hypothesis in (0, 1):
            gram = (x * forms.square[row, :, hypothesis]) @ x.T
            gram[np.diag_indices(bag.size)] += x @ forms.linear[row, :, hypothesis]
            form = np.einsum("mi,mi->m", members @ gram, members)
            pair.append(form + forms.constant[row, hypothesis])
        ratios.append(pair)
    sizes = np.repeat(np.arange(1, len(divisions) + 1), [len(members) for members in divisions])
    writers, sessions = (np.concatenate([pair[which] for pair in ratios]) for which in (0, 1))
    return np.concatenate(divisions), sizes, writers, sessions
