"""How steep the softmax must be for a number of classes."""

from __future__ import annotations

import math

MISS = 1e-6  # posterior that may be left to all wrong classes together


def default_scale(classes: int) -> float:
    """s = √2·ln((C − 1)·(1 − ε)/ε), with ε = 10⁻⁶.

    Two bounds joined. CosFace (eq. 6): a sample on its own centre, the others at right angles, reaches the
    posterior P only if s ≥ ln((C − 1)·P/(1 − P)). AdaCos (eq. 10): the sample to count on is not on its
    centre but up to 45° away, which divides by cos 45° and with P = ½ gives its √2·ln(C − 1). P = 1 − 10⁻⁶
    leaves room for what the margin takes away: with 500 classes and an ArcFace margin of 0.5, a sample at
    45° still reaches P = 0.85. The scale runs from 27 for 200 classes to 39 for a million.
    """
    return math.sqrt(2.0) * math.log(max(classes - 1, 1) * (1.0 - MISS) / MISS)
