"""Marginal likelihoods of words under PLDA: written in one session, or in several by one writer."""

from __future__ import annotations

import numpy as np

from handshift.core.arrays import Flags, Floats


def one_session(sums: Floats, counts: Floats, variance: Floats) -> Floats:
    """ln p(words | one session) − ln p(words | each word on the population mean); word variance is 1.

        L(s, n) = ½ Σ_d [v·s² / (1 + n·v) − ln(1 + n·v)]

    Args:
        sums: (…, dimensions) s, the sum of the words.
        counts: (…,) n, the number of words.
        variance: (dimensions,) v, the prior variance of the session's mean.

    Returns:
        (…,) log ratios.
    """
    grown = 1 + counts[..., None] * variance
    return np.asarray(0.5 * (variance * sums * sums / grown - np.log(grown)).sum(axis=-1))


def one_writer(means: Floats, noise: Floats, members: Flags, writer: Floats) -> Floats:
    """ln p(session means | one writer) − ln p(session means | each on the population mean).

    The sessions of a writer w have means m ~ N(w, noise), with w ~ N(0, β):

        ½ Σ_d [z² / (p + 1/β) − ln(1 + β·p)],   p = Σ 1/noise,   z = Σ m/noise.

    Args:
        means: (sessions, dimensions) m.
        noise: (sessions, dimensions) variance of each mean about the writer.
        members: (groups, sessions) which sessions each group holds.
        writer: (dimensions,) β, the variance between writers.

    Returns:
        (groups,) log ratios.
    """
    weight = 1 / noise
    precision = members @ weight  # (groups, dimensions)
    weighted = members @ (means * weight)
    square = weighted * weighted / (precision + 1 / writer)
    return np.asarray(0.5 * (square - np.log1p(writer * precision)).sum(axis=1))
